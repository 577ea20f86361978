// Package pilothouse starts a Kubernetes cluster for a test: API server, controllers, scheduler and nodes in one process.
package pilothouse

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Cluster is what `pilothouse up --json` says of a cluster that is up.
type Cluster struct {
	Server     string `json:"server"`
	Kubeconfig string `json:"kubeconfig"`
}

// Start starts a cluster of its own in memory and on free ports. It is stopped when the test ends.
// PILOTHOUSE names the command, by default "npx @pilothouse/cli".
func Start(t testing.TB, flags ...string) Cluster {
	t.Helper()
	words := strings.Fields(os.Getenv("PILOTHOUSE"))
	if len(words) == 0 {
		words = []string{"npx", "@pilothouse/cli"}
	}
	words = append(words, "up", "--json", "--ephemeral", "--port", "0", "--no-discovery", "--data-dir", t.TempDir())
	command := exec.Command(words[0], append(words[1:], flags...)...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatalf("expected %v to start, found %v", words, err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	cluster, err := read(bufio.NewReader(output))
	if err != nil {
		t.Fatalf("expected %v to print one line of JSON, found %v", words, err)
	}
	return cluster
}

func read(output *bufio.Reader) (cluster Cluster, err error) {
	line, err := output.ReadBytes('\n')
	if err != nil {
		return cluster, fmt.Errorf("it ended with %q: %w", line, err)
	}
	return cluster, json.Unmarshal(line, &cluster)
}
