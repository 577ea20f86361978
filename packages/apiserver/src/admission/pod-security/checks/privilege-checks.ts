import { type CheckPod, containersOf, containersThat, joinQuoted, namedContainers, setters, sortedUnique } from "./check.ts"

/** Sysctls that belong to the pod alone, by the version of the standard that first allows them. */
const sysctlsBy: readonly (readonly [version: number, names: readonly string[]])[] = [
  [
    0,
    [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.ip_unprivileged_port_start",
      "net.ipv4.ping_group_range",
      "net.ipv4.tcp_syncookies",
    ],
  ],
  [27, ["net.ipv4.ip_local_reserved_ports"]],
  [29, ["net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time"]],
  [32, ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]],
]

/** The versions at which the set of allowed sysctls grows. */
export const sysctlVersions: readonly number[] = sysctlsBy.map(([version]) => version)

export function sysctls(minor: number): CheckPod {
  const allowed = new Set(sysctlsBy.flatMap(([version, names]) => (version <= minor ? names : [])))
  return ({ securityContext }) => {
    const forbidden = (securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name))
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") }
  }
}

/** /proc as the runtime masks it. */
export const procMount: CheckPod = (spec) => {
  const mountOf = (container: ReturnType<typeof containersOf>[number]) => container.securityContext?.procMount ?? "Default"
  const names = containersThat(spec, (container) => mountOf(container) !== "Default")
  if (names.length === 0) return undefined
  const types = sortedUnique(containersOf(spec).map(mountOf)).filter((type) => type !== "Default")
  return { reason: "procMount", detail: `${namedContainers(names)} must not set securityContext.procMount to ${joinQuoted(types)}` }
}

const baselineCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
])

const restrictedCapabilities: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"])

/** Capabilities beyond those that a runtime gives every container. */
export const capabilitiesBaseline: CheckPod = (spec) => {
  const detail = addedBeyond(spec, baselineCapabilities)
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail }
}

/** All capabilities are dropped, and only ports below 1024 may be had back. */
export const capabilitiesRestricted: CheckPod = (spec) => {
  const keeping = containersThat(spec, ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"))
  const added = addedBeyond(spec, restrictedCapabilities)
  const details = [
    ...(keeping.length === 0 ? [] : [`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ]
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") }
}

function addedBeyond(spec: Parameters<CheckPod>[0], allowed: ReadonlySet<string>): string | undefined {
  const added = ({ securityContext }: ReturnType<typeof containersOf>[number]) =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability))
  const names = containersThat(spec, (container) => added(container).length > 0)
  if (names.length === 0) return undefined
  const forbidden = sortedUnique(containersOf(spec).flatMap(added))
  return `${namedContainers(names)} must not include ${joinQuoted(forbidden)} in securityContext.capabilities.add`
}

export const allowPrivilegeEscalation: CheckPod = (spec) => {
  const names = containersThat(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (names.length === 0) return undefined
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${namedContainers(names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

/** No process of the pod runs as root. */
export const runAsNonRoot: CheckPod = (spec) => {
  const ofPod = spec.securityContext?.runAsNonRoot
  const explicit = containersThat(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false)
  const subjects = setters(ofPod === false, explicit)
  const reason = "runAsNonRoot != true"
  if (subjects.length > 0) return { reason, detail: `${subjects.join(" and ")} must not set securityContext.runAsNonRoot=false` }
  const implicit = ofPod === true ? [] : containersThat(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined)
  if (implicit.length === 0) return undefined
  return { reason, detail: `pod or ${namedContainers(implicit)} must set securityContext.runAsNonRoot=true` }
}

export const runAsUser: CheckPod = (spec) => {
  const names = containersThat(spec, ({ securityContext }) => securityContext?.runAsUser === 0)
  const subjects = setters(spec.securityContext?.runAsUser === 0, names)
  return subjects.length === 0 ? undefined : { reason: "runAsUser=0", detail: `${subjects.join(" and ")} must not set runAsUser=0` }
}

/** Leaves pods with a user namespace of their own out of a check: their root is not the root of the node. */
export function unlessUserNamespace(check: CheckPod): CheckPod {
  return (spec, metadata) => (spec.hostUsers === false ? undefined : check(spec, metadata))
}

/** Leaves pods of Windows out of a check: they cannot set what it forbids. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (spec, metadata) => (spec.os?.name === "windows" ? undefined : check(spec, metadata))
}
