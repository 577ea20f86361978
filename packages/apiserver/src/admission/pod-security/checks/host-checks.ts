import type { Container, LifecycleHandler, Probe } from "@pilothouse/api/core/v1"
import { type CheckPod, containersOf, containersThat, joinQuoted, namedContainers, plural, setters, sortedUnique } from "./check.ts"

/** Namespaces of the host. */
export const hostNamespaces: CheckPod = ({ hostNetwork, hostPID, hostIPC }) => {
  const used = Object.entries({ hostNetwork, hostPID, hostIPC }).flatMap(([name, value]) => (value === true ? [`${name}=true`] : []))
  return used.length === 0 ? undefined : { reason: "host namespaces", detail: used.join(", ") }
}

export const hostPorts: CheckPod = (spec) => {
  const portsOf = ({ ports = [] }: Pick<Container, "ports">) => ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [`${hostPort}`]))
  const names = containersThat(spec, (container) => portsOf(container).length > 0)
  if (names.length === 0) return undefined
  const ports = sortedUnique(containersOf(spec).flatMap(portsOf))
  const use = plural(names.length, "uses", "use")
  return { reason: "hostPort", detail: `${namedContainers(names)} ${use} ${plural(ports.length, "hostPort")} ${ports.join(", ")}` }
}

/** A probe or a hook with a host of its own makes the kubelet call that host. */
export const hostProbes: CheckPod = (spec) => {
  const names = sortedUnique(containersThat(spec, (container) => hostsOf(container).length > 0))
  if (names.length === 0) return undefined
  const hosts = sortedUnique(containersOf(spec).flatMap(hostsOf))
  const use = `${plural(names.length, "uses", "use")} ${plural(hosts.length, "probe or lifecycle host")}`
  return { reason: "probe or lifecycle host", detail: `${namedContainers(names)} ${use} ${joinQuoted(hosts)}` }
}

type Handler = Pick<Probe & LifecycleHandler, "httpGet" | "tcpSocket">

function hostsOf({
  livenessProbe,
  readinessProbe,
  startupProbe,
  lifecycle,
}: Pick<Container, "livenessProbe" | "readinessProbe" | "startupProbe" | "lifecycle">): readonly string[] {
  const handlers: readonly (Handler | undefined)[] = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
  return handlers.flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""]).filter((host) => host !== "")
}

export const privileged: CheckPod = (spec) => {
  const names = containersThat(spec, ({ securityContext }) => securityContext?.privileged === true)
  if (names.length === 0) return undefined
  return { reason: "privileged", detail: `${namedContainers(names)} must not set securityContext.privileged=true` }
}

/** Processes of the host, as Windows has them. */
export const windowsHostProcess: CheckPod = (spec) => {
  const names = containersThat(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true)
  const subjects = setters(spec.securityContext?.windowsOptions?.hostProcess === true, names)
  if (subjects.length === 0) return undefined
  return { reason: "hostProcess", detail: `${subjects.join(" and ")} must not set securityContext.windowsOptions.hostProcess=true` }
}
