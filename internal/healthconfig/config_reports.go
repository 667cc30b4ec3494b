package healthconfig

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
)

// reports is the health check of report objects. What others report is theirs.
const reports = `-- Health of report objects: Degraded if argocd-kserve-plugin reports something of one of these severities.
local severe = { %s }

if type(obj.results) == "table" then
  for _, result in ipairs(obj.results) do
    if result.source == "%s" and severe[result.severity] and (result.result == "fail" or result.result == "warn") then
      return { status = "Degraded", message = tostring(result.policy) .. ": " .. tostring(result.message) }
    end
  end
end
return { status = "Healthy", message = "" }
`

// AddReports adds health checks for the objects that the setting report makes. They are Degraded because of results of
// one of the severities.
func (c *Configuration) AddReports(severities []string) {
	var severe []string
	for _, severity := range severities {
		severe = append(severe, severity+" = true")
	}
	script := fmt.Sprintf(reports, strings.Join(severe, ", "), policyreport.Source)
	for _, form := range policyreport.Forms {
		c.Overrides = append(c.Overrides, Override{Type: "health", Group: form.Group(), Kind: form.Kind, Value: script})
	}
}
