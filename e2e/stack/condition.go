package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Accepts is a readiness condition: something listens at the TCP address host:port.
func Accepts(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// Processes returns the command line of every process of the suite by PID, without the test binary itself and without
// the dead that nobody has waited for.
func Processes() (map[int]string, error) {
	statuses, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return nil, err
	}
	if len(statuses) == 0 {
		return nil, errors.New("/proc has no processes, and this one is there")
	}
	processes := map[int]string{}
	for _, path := range statuses {
		dir := filepath.Dir(path)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		status, err := os.ReadFile(path)
		if pid == os.Getpid() || err != nil || strings.Contains(string(status), "\nState:\tZ") {
			continue
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue // it ended meanwhile
		}
		processes[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	}
	return processes, nil
}
