package hosts_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// placeholder is a Secret whose password argocd-vault-plugin fetches.
const placeholder = `apiVersion: v1
kind: Secret
metadata:
  name: storage
  annotations:
    avp.kubernetes.io/path: secret/data/storage
stringData:
  password: <password>
`

// TestVaultPlugin runs the command that docs/hosts.md gives to a sidecar with argocd-vault-plugin and the plugin. Vault
// is a stand-in that answers one request.
func TestVaultPlugin(t *testing.T) {
	byHand(t)
	vaultPlugin := build(t, toolchain.VaultPlugin)
	bin := installed(t)
	if err := os.Symlink(vaultPlugin, filepath.Join(bin, "argocd-vault-plugin")); err != nil {
		t.Fatal(err)
	}
	vault := http.NewServeMux()
	vault.HandleFunc("GET /v1/secret/data/storage", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data": {"data": {"password": "opensesame"}, "metadata": {"version": 1}}}`)
	})
	server := httptest.NewServer(vault)
	defer server.Close()
	for name, value := range map[string]string{
		"AVP_TYPE": "vault", "AVP_AUTH_TYPE": "token", "VAULT_ADDR": server.URL, "VAULT_TOKEN": "e2e", "HOME": t.TempDir(),
		"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION": "0.15.2", "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE": "Standard",
	} {
		t.Setenv(name, value)
	}
	dir := copied(t, "examples/sklearn-logger")
	secret := filepath.Join(dir, "secret.yaml")
	if err := os.WriteFile(secret, []byte(placeholder), 0o666); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(output(t, nil, "argocd-kserve-plugin", "generate", dir), "<password>", "opensesame", 1)

	var config struct {
		Generate struct{ Command, Args []string }
	}
	if err := yaml.Unmarshal([]byte(documented(t, "argocd-vault-plugin generate -")), &config); err != nil {
		t.Fatal(err)
	}
	generate := append(config.Generate.Command, config.Generate.Args...)
	t.Chdir(dir)
	sameObjects(t, output(t, nil, generate[0], generate[1:]...), want)

	edit(t, secret, func(data []byte) []byte { return append(data, "kind: Secret\n"...) })
	stdout, stderr, err := command(nil, generate[0], generate[1:]...)
	if err == nil || stdout != "" || !strings.Contains(stderr, "secret.yaml:9:1: duplicate key") {
		t.Errorf("a broken document passes: %v\n%s\n%s", err, stderr, stdout)
	}
}
