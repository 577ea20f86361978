import type { Container, Pod, Probe } from "@pilothouse/api/core/v1"
import type { ServicePort } from "../../model/service.ts"

/** Where a workload says that it is well. */
export interface HealthCheck {
  readonly path: string
  /** Undefined: not specified. */
  readonly port?: ServicePort
}

/** The ports that probes of a pod's containers go to, each once: "mgmt-8080". Sorted by number. */
export function managementPorts(pod: Pod | undefined): readonly ServicePort[] {
  const found = probesOf(pod).flatMap(({ container, probe }) => portOf(container, probe) ?? [])
  const byNumber = new Map(found.map((port) => [port.port, port]))
  return [...byNumber.values()].sort((a, b) => a.port - b.port)
}

/** HTTP probes, and what Prometheus scrapes. */
export function healthChecks(pod: Pod | undefined): readonly HealthCheck[] {
  const probes = probesOf(pod).flatMap(({ container, probe }) =>
    probe.httpGet === undefined ? [] : [{ path: probe.httpGet.path ?? "/", port: portOf(container, probe) }],
  )
  const {
    "prometheus.io/scrape": scrape,
    "prometheus.io/port": port = "",
    "prometheus.io/path": path = "",
  } = pod?.metadata.annotations ?? {}
  if (scrape !== "true") return probes
  return [...probes, { path: path === "" ? "/metrics" : path, port: /^\d+$/.test(port) ? management(Number(port), "HTTP") : undefined }]
}

function probesOf(pod: Pod | undefined): readonly { readonly container: Container; readonly probe: Probe }[] {
  return (pod?.spec?.containers ?? []).flatMap((container) =>
    [container.readinessProbe, container.livenessProbe].flatMap((probe) => (probe === undefined ? [] : [{ container, probe }])),
  )
}

function portOf(container: Container, { httpGet, tcpSocket }: Probe): ServicePort | undefined {
  const said = httpGet?.port ?? tcpSocket?.port
  const port = typeof said === "string" ? container.ports?.find(({ name }) => name === said)?.containerPort : said
  if (port === undefined) return undefined
  return management(port, httpGet === undefined ? "TCP" : httpGet.scheme === "HTTPS" ? "HTTPS" : "HTTP")
}

function management(port: number, protocol: ServicePort["protocol"]): ServicePort {
  return { name: `mgmt-${port}`, port, protocol }
}
