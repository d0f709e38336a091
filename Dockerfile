# paretonym's command line and explorer, for a machine without Python. Tables come in by a volume:
#   docker build -t paretonym .
#   docker run --rm -v "$PWD:/data" paretonym explore people.csv --schema people.toml -o run
#   docker run --rm -v "$PWD:/data" -p 127.0.0.1:8000:8000 paretonym serve run --host 0.0.0.0 --expose --port 8000
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE hatch_build.py ./
COPY scripts scripts
COPY src src
RUN python -m venv /opt/paretonym \
    && /opt/paretonym/bin/pip install --no-cache-dir ".[excel,plot,web]"

FROM python:3.13-slim
COPY --from=build /opt/paretonym /opt/paretonym
RUN useradd --create-home --uid 10001 paretonym && mkdir /data && chown paretonym /data
USER 10001
WORKDIR /data
ENV PATH=/opt/paretonym/bin:$PATH
EXPOSE 8000
ENTRYPOINT ["paretonym"]
CMD ["--help"]
