import { type FieldError, fieldError } from "@pilothouse/api"
import type { Container, PodSpec } from "@pilothouse/api/core/v1"

type Checked = Pick<Container, "securityContext" | "ports" | "volumeDevices">

/** All containers with their fields, in the order in which upstream visits them. */
function containersOf(spec: PodSpec, field: string): readonly (readonly [container: Checked, field: string])[] {
  const lists = ["initContainers", "containers", "ephemeralContainers"] as const
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => [container as Checked, `${field}.${list}[${index}]`] as const),
  )
}

/** With the network of the host a port of a container is that port of the host. */
export function hostNetworkErrors({ hostNetwork, containers = [] }: PodSpec, field: string): readonly FieldError[] {
  if (hostNetwork !== true) return []
  return containers.flatMap(({ ports = [] }, at) =>
    ports.flatMap(({ hostPort = 0, containerPort }, index) =>
      hostPort === 0 || hostPort === containerPort
        ? []
        : [
            fieldError.invalid(
              `${field}.containers[${at}].ports[${index}].hostPort`,
              hostPort,
              "must match `containerPort` when `hostNetwork` is true",
            ),
          ],
    ),
  )
}

/** A pod in a user namespace of its own shares no other namespace with the host. */
export function hostUsersErrors(spec: PodSpec, field: string): readonly FieldError[] {
  if (spec.hostUsers !== false) return []
  const forbidden = (name: string) => fieldError.forbidden(`${field}.${name}`, "when `hostUsers` is false")
  return [
    ...(spec.hostNetwork === true ? [forbidden("hostNetwork")] : []),
    ...(spec.hostPID === true ? [forbidden("HostPID")] : []),
    ...(spec.hostIPC === true ? [forbidden("HostIPC")] : []),
    ...containersOf(spec, "").flatMap(([{ volumeDevices = [] }, at]) =>
      volumeDevices.length > 0 ? [forbidden(`${at.slice(1)}.volumeDevices`)] : [],
    ),
  ]
}

/** Either all containers of a Windows pod are processes of the host, with its network, or none is. */
export function hostProcessErrors(spec: PodSpec, field: string): readonly FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  const all = containersOf(spec, field).map(([{ securityContext }, at]) => ({ own: securityContext?.windowsOptions?.hostProcess, at }))
  const differing = all.filter(({ own }) => own !== undefined && ofPod !== undefined && own !== ofPod)
  const processes = all.filter(({ own }) => own ?? ofPod ?? false).length
  const identical = `pod hostProcess value must be identical if both are specified, was ${ofPod}`
  const together = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
  const network = "hostNetwork must be true if pod contains any hostProcess containers"
  return [
    ...differing.map(({ own, at }) => fieldError.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, identical)),
    ...(processes > 0 && processes < all.length ? [fieldError.invalid(field, "", together)] : []),
    ...(processes > 0 && spec.hostNetwork !== true ? [fieldError.invalid(`${field}.hostNetwork`, false, network)] : []),
  ]
}

const systems = ["linux", "windows"]

/** Fields of a pod, of its securityContext and of those of its containers that Windows does not have; in the order of upstream's messages. */
const linuxOfPod = [
  "securityContext.appArmorProfile",
  "securityContext.seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "securityContext.seccompProfile",
  "securityContext.fsGroup",
  "securityContext.fsGroupChangePolicy",
  "securityContext.sysctls",
  "shareProcessNamespace",
  "securityContext.runAsUser",
  "securityContext.runAsGroup",
  "securityContext.supplementalGroups",
  "securityContext.supplementalGroupsPolicy",
  "securityContext.seLinuxChangePolicy",
]
const linuxOfContainer = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
]

/** Rules of spec.os: fields of the other system may not be set. */
export function operatingSystemErrors(spec: PodSpec, field: string): readonly FieldError[] {
  if (spec.os === undefined) return []
  const name: string = spec.os.name ?? ""
  if (name === "") return [fieldError.required(`${field}.os.name`)]
  if (!systems.includes(name)) return [fieldError.notSupported(`${field}.os`, name, systems)]
  return name === "linux" ? linuxErrors(spec, field) : windowsErrors(spec, field)
}

function linuxErrors(spec: PodSpec, field: string): readonly FieldError[] {
  const text = "windows options cannot be set for a linux pod"
  return [[spec, field] as const, ...containersOf(spec, field)].flatMap(([{ securityContext }, at]) =>
    securityContext?.windowsOptions === undefined ? [] : [fieldError.forbidden(`${at}.securityContext.windowsOptions`, text)],
  )
}

function windowsErrors(spec: PodSpec, field: string): readonly FieldError[] {
  const forbidden = (at: string) => fieldError.forbidden(at, "cannot be set for a windows pod")
  const members = { ...spec, ...prefixed(spec.securityContext ?? {}) } as Readonly<Record<string, unknown>>
  return [
    ...linuxOfPod.filter((name) => isSet(members[name], name)).map((name) => forbidden(`${field}.${name}`)),
    ...containersOf(spec, field).flatMap(([{ securityContext = {} }, at]) =>
      linuxOfContainer
        .filter((name) => (securityContext as Readonly<Record<string, unknown>>)[name] !== undefined)
        .map((name) => forbidden(`${at}.securityContext.${name}`)),
    ),
  ]
}

function prefixed(members: object): object {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [`securityContext.${name}`, value]))
}

/** Of a flag that is no pointer upstream, and of an empty list, it cannot be known whether it is set. */
function isSet(value: unknown, name: string): boolean {
  if (name === "hostPID" || name === "hostIPC") return value === true
  if (name === "securityContext.sysctls") return Array.isArray(value) && value.length > 0
  return value !== undefined
}
