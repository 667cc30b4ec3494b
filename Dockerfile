# The sidecar's image for those who build it themselves: the program and plugin.yaml, without a shell or libraries.
# A release's image is made without Docker, by hack/release/build. argocd-cmp-server comes from Argo CD itself, through a volume.
# You can replace both base images, for example with a mirror or with images pinned to a digest:
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
    go build -trimpath -ldflags '-s -w' -o /image/usr/local/bin/ ./cmd/argocd-kserve-plugin
RUN mkdir -p /image/home/argocd/cmp-server/config && cp plugin.yaml /image/home/argocd/cmp-server/config/plugin.yaml

FROM ${BASE_IMAGE}
COPY --from=build /image/usr/local/bin /usr/local/bin
COPY --from=build /image/home/argocd/cmp-server/config/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
# The repo-server's user. The repo-server connects to the sidecar's socket.
USER 999
ENTRYPOINT ["/usr/local/bin/argocd-kserve-plugin"]
