package plan

import "slices"

func referenceOf(o Object) Reference {
	metadata, _ := o["metadata"].(map[string]any)
	text := func(in Object, key string) string { value, _ := in[key].(string); return value }
	return Reference{text(o, "apiVersion"), text(o, "kind"), text(metadata, "namespace"), text(metadata, "name")}
}

// forest are the objects of a state by who owns them.
type forest struct {
	objects  map[Reference]Object // by reference without version
	children map[Reference][]Reference
	largest  map[Reference]int64 // the most replicas that an autoscaler gives a workload, by that without its group
	order    []Reference
	named    map[Reference]Reference // the first of those that differ in their group only, by what they have in common
}

func newForest(state *State) *forest {
	objects := state.Objects
	f := &forest{
		objects: map[Reference]Object{}, children: map[Reference][]Reference{}, largest: map[Reference]int64{},
		named: map[Reference]Reference{},
	}
	byUID := map[any]Reference{}
	for _, o := range objects {
		r := referenceOf(o).Versionless()
		f.objects[r] = o
		f.order = append(f.order, r)
		if _, found := f.named[r.Groupless()]; !found {
			f.named[r.Groupless()] = referenceOf(o)
		}
		f.noteScale(o)
		byUID[at(o, "metadata", "uid")] = r
	}
	for _, o := range objects {
		owners, _ := at(o, "metadata", "ownerReferences").([]any)
		for _, owner := range owners {
			if parent, found := byUID[at(owner, "uid")]; found {
				f.adopt(parent, referenceOf(o).Versionless())
				break
			}
		}
		for _, parent := range caches(o) {
			f.adopt(parent, referenceOf(o).Versionless())
		}
	}
	for _, made := range state.Unowned {
		if r := made.Object.Versionless(); f.objects[r] != nil {
			f.adopt(made.By.Versionless(), r)
		}
	}
	return f
}

func (f *forest) adopt(parent, child Reference) {
	if !slices.Contains(f.children[parent], child) {
		f.children[parent] = append(f.children[parent], child)
	}
}

// caches are those whose models a node loads. None of them owns it.
func caches(o Object) (all []Reference) {
	r := referenceOf(o)
	if r.Kind != "LocalModelNode" {
		return nil
	}
	models, _ := at(o, "spec", "localModels").([]any)
	for _, model := range models {
		cache := Reference{APIVersion: r.APIVersion, Kind: "LocalModelCache"}
		cache.Name, _ = at(model, "modelName").(string)
		if cache.Namespace, _ = at(model, "namespace").(string); cache.Namespace != "" {
			cache.Kind = "LocalModelNamespaceCache"
		}
		all = append(all, cache.Versionless())
	}
	return all
}

// has reports whether the object is there, in its namespace or in none.
func (f *forest) has(r Reference) bool {
	r = r.Versionless()
	other := r
	other.Namespace = ""
	return f.objects[r] != nil || f.objects[other] != nil
}

// withGroup returns the reference to an object that an event names, which has no group.
func (f *forest) withGroup(r Reference) Reference {
	if named, found := f.named[r]; found {
		return named
	}
	return r
}
