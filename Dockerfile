# syntax=docker/dockerfile:1
# The gateway in a container. The models stay outside: 200 MB that change on another day than the code.
#   scripts/models.sh models
#   docker build -t quandura .
#   docker run --read-only --tmpfs /tmp -p 127.0.0.1:8080:8080 -v "$PWD/models:/models:ro" -v quandura-data:/data quandura

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
# The same steps as `make build`, without the models.
RUN scripts/install.sh run
RUN make console
RUN make binary && strip --strip-debug -o /quandura target/release/quandura

FROM debian:12-slim
# Certificates for providers and the carrier; libstdc++ for the ONNX Runtime of the models; libopus for recordings.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libopus0 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 -m 0700 /data \
    && install -d /models
COPY --from=build /quandura /usr/local/bin/quandura
COPY LICENSE gateway/data/third-party-notices.txt /usr/share/doc/quandura/
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
ENV BIND=0.0.0.0:8080 DATA_DIR=/data MODELS_DIR=/models
VOLUME ["/data", "/models"]
EXPOSE 8080
# Longer than one drain, so that calls are not cut by an impatient engine: see docs/guides/operations.md.
STOPSIGNAL SIGTERM
# /health, without a client in the image. It says only its status to those who show no token.
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s --retries=3 \
    CMD ["/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.0\\r\\nHost: 127.0.0.1\\r\\n\\r\\n' >&3 && read -r -t 2 _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["/usr/local/bin/quandura"]
CMD ["serve"]
