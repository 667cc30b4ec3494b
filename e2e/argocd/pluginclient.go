package argocd

import (
	"context"
	"path/filepath"

	"github.com/argoproj/argo-cd/v2/cmpserver/apiclient"
	repository "github.com/argoproj/argo-cd/v2/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v2/util/cmp"
	grpc_retry "github.com/grpc-ecosystem/go-grpc-middleware/retry"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Source is what the repo-server sends to a plugin: a copy of the repository, the application's folder in it, and the
// environment.
type Source struct {
	Repository string   // folder
	Path       string   // of the application, relative to Repository
	Env        []string // NAME=value
}

// Check asks for the plugin's configuration.
func (c *Sidecar) Check(ctx context.Context) (*apiclient.CheckPluginConfigurationResponse, error) {
	var response *apiclient.CheckPluginConfigurationResponse
	err := c.call(func(client apiclient.ConfigManagementPluginServiceClient) (err error) {
		response, err = client.CheckPluginConfiguration(ctx, &emptypb.Empty{})
		return err
	})
	return response, err
}

// Generate has the plugin render the source and returns a JSON document for each object.
func (c *Sidecar) Generate(ctx context.Context, source Source) ([]string, error) {
	var manifests []string
	err := c.call(func(client apiclient.ConfigManagementPluginServiceClient) error {
		stream, err := client.GenerateManifest(ctx, grpc_retry.Disable())
		if err != nil {
			return err
		}
		if err := send(ctx, source, stream); err != nil {
			return err
		}
		response, err := stream.CloseAndRecv()
		manifests = response.GetManifests()
		return err
	})
	return manifests, err
}

// Parameters returns the parameters that the plugin announces for the source.
func (c *Sidecar) Parameters(ctx context.Context, source Source) ([]*repository.ParameterAnnouncement, error) {
	var announcements []*repository.ParameterAnnouncement
	err := c.call(func(client apiclient.ConfigManagementPluginServiceClient) error {
		stream, err := client.GetParametersAnnouncement(ctx, grpc_retry.Disable())
		if err != nil {
			return err
		}
		if err := send(ctx, source, stream); err != nil {
			return err
		}
		response, err := stream.CloseAndRecv()
		announcements = response.GetParameterAnnouncements()
		return err
	})
	return announcements, err
}

func send(ctx context.Context, source Source, stream cmp.StreamSender) error {
	app := filepath.Join(source.Repository, source.Path)
	return cmp.SendRepoStream(ctx, app, source.Repository, stream, source.Env, nil)
}

func (c *Sidecar) call(do func(apiclient.ConfigManagementPluginServiceClient) error) error {
	conn, client, err := apiclient.NewConfigManagementPluginClientSet(filepath.Join(c.Sockets, SocketName)).
		NewConfigManagementPluginClient()
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(client)
}
