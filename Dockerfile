# `docker build -t tacho .`, then `docker run --rm -v "$PWD:/work" tacho track HEAD~3..HEAD`.
#
# The image has a C compiler and git: what else a subject needs to be built is added in an image of
# your own (`FROM tacho`, `RUN apt-get install …`).
FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends musl-tools && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN make release

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/dist/tacho/ /usr/local/
# The repository is mounted, and belongs to another user.
RUN git config --system --add safe.directory '*'
WORKDIR /work
ENTRYPOINT ["tacho"]
