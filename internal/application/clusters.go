package application

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Cluster is what a generator learns of a cluster of Argo CD.
type Cluster struct {
	Name        string            `json:"name"`
	Server      string            `json:"server"`
	Project     string            `json:"project"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// The label of the Secrets that Argo CD keeps its clusters in, and the cluster that it runs in, which need not have one
// (common/common.go, pkg/apis/application/v1alpha1/types.go@v3.5.7).
const (
	secretType = "argocd.argoproj.io/secret-type"
	inCluster  = "in-cluster"
	itsServer  = "https://kubernetes.default.svc"
)

// ReadClusters reads the clusters of Argo CD: their Secrets, as kubectl prints them, or what "argocd cluster list -o
// yaml" prints. It passes over credentials, over all other objects, and over the cluster that Argo CD runs in if it has
// no Secret.
func ReadClusters(file transform.File) ([]Cluster, error) {
	documents, err := yamldoc.Split(file.Data)
	if err != nil {
		return nil, positioned(&file, 1, err)
	}
	all := []Cluster{}
	for _, d := range documents {
		tree, err := yamldoc.Parse(d.Body)
		if err != nil {
			return nil, positioned(&file, d.Line, err)
		}
		var content any
		if yaml.Unmarshal(d.Body, &content) != nil { // its error may show a credential
			return nil, fmt.Errorf("%s:%d: this can't be read as JSON or YAML", file.Path, d.Line)
		}
		found, err := clustersIn(tree.Root, content)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file.Path, d.Line, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func clustersIn(node *yamldoc.Node, content any) (all []Cluster, err error) {
	if list, isList := content.([]any); isList {
		for _, item := range list {
			cluster, err := typed[Cluster](item)
			if err != nil || cluster.Server == "" {
				return nil, cmp.Or(err, errors.New("a cluster without server"))
			}
			if !cluster.hasNoSecret() {
				all = append(all, cluster)
			}
		}
		return all, nil
	}
	for _, o := range objects(node, content) {
		secret, err := typed[struct {
			Kind       string            `json:"kind"`
			Data       map[string][]byte `json:"data"`
			StringData map[string]string `json:"stringData"`
			Metadata   struct {
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		}](o.content)
		if err != nil {
			return nil, err
		}
		if secret.Kind != "Secret" || secret.Metadata.Labels[secretType] != "cluster" {
			continue
		}
		value := func(key string) string { return cmp.Or(secret.StringData[key], string(secret.Data[key])) }
		all = append(all, Cluster{
			value("name"), value("server"), value("project"), secret.Metadata.Labels, secret.Metadata.Annotations,
		})
	}
	return all, nil
}

// hasNoSecret reports whether a listed cluster is the one that Argo CD adds for itself (ListClusters in
// util/db/cluster.go@v3.5.7). No selector finds it. A Secret of the same name and server looks alike if it has no project,
// and no labels and annotations but those that Argo CD does not list.
func (c *Cluster) hasNoSecret() bool {
	return c.Name == inCluster && c.Server == itsServer && c.Project == "" && len(c.Labels)+len(c.Annotations) == 0
}

// clusters returns the parameters of a cluster generator (applicationset/generators/cluster.go@v3.5.7), by the names of
// the clusters. Argo CD's order is random.
func (s *set) clusters(content map[string]any, node *yamldoc.Node) ([]map[string]any, error) {
	if s.Clusters == nil {
		s.problem(node, "the generator clusters needs the clusters of Argo CD, which --argocd-clusters names, so its "+
			"Applications are not rendered")
		return nil, errUnexpanded
	}
	g, err := typed[struct {
		Selector selector          `json:"selector"`
		Values   map[string]string `json:"values"`
		FlatList bool              `json:"flatList"`
	}](content)
	if err != nil {
		return nil, err
	}
	if err := g.Selector.check(); err != nil {
		return nil, err
	}
	byName, own := map[string]map[string]any{}, false
	for _, c := range s.Clusters {
		labels := map[string]string{secretType: "cluster"}
		maps.Copy(labels, c.Labels)
		if g.Selector.matches(labels) {
			c.Labels, own = labels, own || c.Server == itsServer
			byName[c.Name] = s.aboutCluster(c)
		}
	}
	var all []map[string]any
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	if !own && len(g.Selector.MatchLabels) == 0 && len(g.Selector.MatchExpressions) == 0 {
		all = append(all, map[string]any{"name": inCluster, "nameNormalized": inCluster, "server": itsServer, "project": ""})
	}
	for _, params := range all {
		if err := s.addValues(params, g.Values); err != nil {
			return nil, err
		}
	}
	if g.FlatList {
		return []map[string]any{{"clusters": all}}, nil
	}
	return all, nil
}

// hiddenAnnotations are the annotations of a cluster that no template gets.
const hiddenAnnotations = `
	argocd.argoproj.io/refresh argocd.argoproj.io/hydrate argocd.argoproj.io/tracking-id
	argocd.argoproj.io/installation-id kubectl.kubernetes.io/last-applied-configuration`

func (s *set) aboutCluster(c Cluster) map[string]any {
	params := map[string]any{
		"name": c.Name, "nameNormalized": normalize(c.Name), "server": c.Server, "project": c.Project,
	}
	annotations := maps.Clone(c.Annotations)
	for name := range strings.FieldsSeq(hiddenAnnotations) {
		delete(annotations, name)
	}
	if s.goTemplate {
		about := map[string]any{"labels": c.Labels}
		if len(c.Annotations) > 0 {
			about["annotations"] = annotations
		}
		params["metadata"] = about
		return params
	}
	for name, value := range annotations {
		params["metadata.annotations."+name] = value
	}
	for name, value := range c.Labels {
		params["metadata.labels."+name] = value
	}
	return params
}
