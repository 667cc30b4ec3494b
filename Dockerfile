# The sidecar's image: the binary and plugin.yaml, no shell and no libraries. argocd-cmp-server comes from Argo CD itself,
# through a volume. Both base images can be replaced, by a mirror or by one pinned to a digest:
#   docker build --build-arg BUILD_IMAGE=... --build-arg BASE_IMAGE=... .
ARG BUILD_IMAGE=docker.io/library/golang:1.26
ARG BASE_IMAGE=scratch

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -ldflags '-s -w' -o /image/usr/local/bin/argocd-kserve-plugin ./cmd/cmp
RUN mkdir -p /image/home/argocd/cmp-server/config && cp plugin.yaml /image/home/argocd/cmp-server/config/plugin.yaml

FROM ${BASE_IMAGE}
COPY --from=build /image/usr/local/bin/argocd-kserve-plugin /usr/local/bin/argocd-kserve-plugin
COPY --from=build /image/home/argocd/cmp-server/config/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
# The user of the repo-server, which connects to the sidecar's socket.
USER 999
