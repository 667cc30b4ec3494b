// Package grpchealth asks a gRPC server for its health.
package grpchealth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Check calls Check of grpc.health.v1.Health over a Unix socket, and returns an error unless the server serves. A unary
// call is one HTTP/2 request whose body is a message after a 5-byte prefix, so net/http can make it; a gRPC library
// would add a third to the size of the program.
func Check(ctx context.Context, socket string) error {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{
		Protocols: protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}
	defer transport.CloseIdleConnections()

	emptyRequest := make([]byte, 5) // for the health of the server as a whole
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://localhost/grpc.health.v1.Health/Check", bytes.NewReader(emptyRequest))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	status := cmp.Or(response.Trailer.Get("Grpc-Status"), response.Header.Get("Grpc-Status"))
	if response.StatusCode != http.StatusOK || status != "0" {
		message := cmp.Or(response.Trailer.Get("Grpc-Message"), response.Header.Get("Grpc-Message"))
		return fmt.Errorf("health check answered HTTP status %d, gRPC status %q %s",
			response.StatusCode, status, message)
	}
	if !serving(body) {
		return fmt.Errorf("health check answered % x, which is not SERVING", body)
	}
	return nil
}

// serving reports whether the body is one uncompressed HealthCheckResponse whose field 1, status, is 1, SERVING.
func serving(body []byte) bool {
	if len(body) < 5 || body[0] != 0 || binary.BigEndian.Uint32(body[1:]) != uint32(len(body)-5) {
		return false
	}
	return bytes.Equal(body[5:], []byte{1 << 3, 1})
}
