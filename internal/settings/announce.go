package settings

import (
	"strings"
)

// Announcement describes a parameter to Argo CD's user interface, in the JSON form of ParameterAnnouncement
// (argo-cd's reposerver/repository/repository.proto).
type Announcement struct {
	Name           string   `json:"name"`
	Title          string   `json:"title"`
	Tooltip        string   `json:"tooltip"`
	ItemType       string   `json:"itemType,omitempty"`
	CollectionType string   `json:"collectionType"`
	String         string   `json:"string,omitempty"`
	Array          []string `json:"array,omitempty"`
}

// Announcements returns the parameters that an Application may set: every setting that the sidecar does not lock, and
// the ceilings, which an Application may lower.
func (s *Settings) Announcements() []Announcement {
	list := []Announcement{}
	for _, row := range Table {
		if s.Locked(row.Name) && !row.ceiling {
			continue
		}
		a := Announcement{
			Name: row.Name, Title: row.Title, Tooltip: row.tooltip(),
			CollectionType: "string", String: row.Default,
		}
		switch {
		case row.ceiling:
			a.String = row.text(s)
		case row.isList():
			a.CollectionType, a.String = "array", ""
			a.Array = row.split(row.Default)
		case row.isMap():
			a.CollectionType, a.String = "map", ""
		case row.isSwitch():
			a.ItemType = "boolean"
		}
		list = append(list, a)
	}
	return list
}

func (row *Setting) tooltip() string {
	tip := strings.ToUpper(row.Help[:1]) + row.Help[1:] + ". Accepts " + row.accepts() + "."
	if row.Unset != "" {
		tip += " Default: " + row.Unset + "."
	}
	return tip
}
