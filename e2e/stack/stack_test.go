package stack

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

func TestMain(m *testing.M) {
	Main(m, func(context.Context) error { return nil }, nil)
}

func TestOnlyLoopback(t *testing.T) {
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	if len(interfaces) != 1 || interfaces[0].Name != "lo" || interfaces[0].Flags&net.FlagUp == 0 {
		t.Errorf("interfaces %v, want only lo, up", interfaces)
	}
	for range 2 {
		listener, err := net.Listen("tcp", net.JoinHostPort(New(t).IP, "8080"))
		if err != nil {
			t.Errorf("each stack has its own address: %v", err)
			continue
		}
		defer listener.Close()
	}
}

func TestStopEndsTheProcessGroup(t *testing.T) {
	s := New(t)
	script := "trap '' TERM; sleep 1000 & echo started; wait"
	r := s.Start(Process{Name: "parent", Path: "/bin/sh", Args: []string{"-c", script}})
	wait.For(t, "the child runs", func(context.Context) error {
		if r.Log() != "started\n" {
			return fmt.Errorf("log %q", r.Log())
		}
		return nil
	})
	r.Stop()
	r.Stop()
	wait.For(t, "nothing is left", func(context.Context) error {
		left, err := Processes()
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%v", left)
		}
		return err
	})
}
