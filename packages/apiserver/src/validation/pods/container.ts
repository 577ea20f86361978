import {
  amountSign,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkEnvironmentName,
  checkLabelKey,
  checkPortName,
  checkPortNumber,
  compareAmounts,
  type FieldError,
  fieldError,
  ownValue,
  parseQuantity,
} from "@pilothouse/api"
import type { Container, ContainerPort, EnvVar, EnvVarSource, Probe, ResourceRequirements, VolumeMount } from "@pilothouse/api/core/v1"
import { duplicates, named, nonNegative, oneOf, repeats } from "../field-rules.ts"
import { handlerErrors } from "./handler.ts"
import { containerSecurityErrors } from "./security/security-context.ts"

const kinds = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"

const paths: ReadonlySet<string> = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
])
const addresses: ReadonlySet<string> = new Set(["status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"])

const protocols = ["SCTP", "TCP", "UDP"]

/** `volumes` are the names a mount may use. */
export function validateContainers(
  containers: readonly Container[],
  volumes: ReadonlySet<string>,
  field: string,
  hostUsers = true,
): readonly FieldError[] {
  return [
    ...containers.flatMap((container, index) => containerErrors(container, volumes, `${field}[${index}]`, hostUsers)),
    ...duplicates(
      containers.map(({ name }) => name),
      (index) => `${field}[${index}].name`,
    ),
  ]
}

/** A port of the host serves one container port. `field` is that of the containers. */
export function hostPortConflicts(containers: readonly Container[], field: string): readonly FieldError[] {
  const taken = new Set<string>()
  return containers.flatMap(({ ports = [] }, at) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }, index) => {
      const port = `${protocol}/${hostIP}/${hostPort}`
      if (hostPort === 0 || !taken.has(port)) {
        taken.add(port)
        return []
      }
      return [fieldError.duplicate(`${field}[${at}].ports[${index}].hostPort`, port)]
    }),
  )
}

function containerErrors(container: Container, volumes: ReadonlySet<string>, field: string, hostUsers: boolean): readonly FieldError[] {
  return [
    ...named(container.name, checkDns1123Label, `${field}.name`),
    ...imageErrors(container.image ?? "", `${field}.image`),
    ...oneOf(container.terminationMessagePolicy, ["File", "FallbackToLogsOnError"], `${field}.terminationMessagePolicy`),
    ...portErrors(container.ports ?? [], `${field}.ports`),
    ...environmentErrors(container, `${field}.env`),
    ...mountErrors(container.volumeMounts ?? [], volumes, `${field}.volumeMounts`),
    ...oneOf(container.imagePullPolicy, ["Always", "IfNotPresent", "Never"], `${field}.imagePullPolicy`),
    ...validateContainerResources(container.resources, `${field}.resources`),
    ...probeErrors(container.livenessProbe, `${field}.livenessProbe`, true),
    ...probeErrors(container.readinessProbe, `${field}.readinessProbe`, false),
    ...probeErrors(container.startupProbe, `${field}.startupProbe`, true),
    ...hookErrors(container.lifecycle, `${field}.lifecycle`),
    ...containerSecurityErrors(container.securityContext, `${field}.securityContext`, hostUsers),
  ]
}

function imageErrors(image: string, field: string): readonly FieldError[] {
  if (image === "") return [fieldError.required(field)]
  return image.trim() === image ? [] : [fieldError.invalid(field, image, "must not have leading or trailing whitespace")]
}

function hookErrors(lifecycle: Container["lifecycle"], field: string): readonly FieldError[] {
  const { postStart, preStop } = lifecycle ?? {}
  return [
    ...(postStart === undefined ? [] : handlerErrors(postStart, `${field}.postStart`)),
    ...(preStop === undefined ? [] : handlerErrors(preStop, `${field}.preStop`)),
  ]
}

function portErrors(ports: readonly ContainerPort[], field: string): readonly FieldError[] {
  const errors = ports.flatMap((port, index) => {
    const at = `${field}[${index}]`
    return [
      ...((port.name ?? "") === "" ? [] : named(port.name, checkPortName, `${at}.name`)),
      ...(port.containerPort === undefined || port.containerPort === 0
        ? [fieldError.required(`${at}.containerPort`)]
        : checkPortNumber(port.containerPort).map((text) => fieldError.invalid(`${at}.containerPort`, port.containerPort, text))),
      ...((port.hostPort ?? 0) === 0
        ? []
        : checkPortNumber(port.hostPort ?? 0).map((text) => fieldError.invalid(`${at}.hostPort`, port.hostPort, text))),
      ...oneOf(port.protocol, protocols, `${at}.protocol`),
    ]
  })
  const names = ports.map(({ name }) => name)
  return [...errors, ...duplicates(names, (index) => `${field}[${index}].name`)]
}

function mountErrors(mounts: readonly VolumeMount[], volumes: ReadonlySet<string>, field: string): readonly FieldError[] {
  const again = repeats(mounts.map(({ mountPath }) => mountPath))
  return mounts.flatMap(({ name, mountPath }, index) => {
    const at = `${field}[${index}]`
    return [
      ...((name ?? "") === "" ? [fieldError.required(`${at}.name`)] : []),
      ...(volumes.has(name) ? [] : [fieldError.notFound(`${at}.name`, name)]),
      ...((mountPath ?? "") === "" ? [fieldError.required(`${at}.mountPath`)] : []),
      ...(again[index] ? [fieldError.invalid(`${at}.mountPath`, mountPath, "must be unique")] : []),
    ]
  })
}

function probeErrors(probe: Probe | undefined, field: string, once: boolean): readonly FieldError[] {
  if (probe === undefined) return []
  return [
    ...handlerErrors(probe, field),
    ...nonNegative(probe.initialDelaySeconds, `${field}.initialDelaySeconds`),
    ...nonNegative(probe.timeoutSeconds, `${field}.timeoutSeconds`),
    ...nonNegative(probe.periodSeconds, `${field}.periodSeconds`),
    ...nonNegative(probe.successThreshold, `${field}.successThreshold`),
    ...nonNegative(probe.failureThreshold, `${field}.failureThreshold`),
    ...(once && probe.successThreshold !== 1 ? [fieldError.invalid(`${field}.successThreshold`, probe.successThreshold, "must be 1")] : []),
  ]
}

type Quantities = Readonly<Record<string, string>>

function validateContainerResources(resources: ResourceRequirements | undefined, field: string): readonly FieldError[] {
  const { limits = {}, requests = {} } = resources ?? {}
  return [
    ...quantityErrors(limits, `${field}.limits`),
    ...quantityErrors(requests, `${field}.requests`),
    ...Object.entries(requests).flatMap(([name, request]) => requestErrors(name, request, ownValue(limits, name), `${field}.requests`)),
  ]
}

function quantityErrors(quantities: Quantities, field: string): readonly FieldError[] {
  return Object.entries(quantities).flatMap(([name, quantity]) => [
    ...nameErrors(name, `${field}[${name}]`),
    ...(amountSign(parseQuantity(quantity)) < 0
      ? [fieldError.invalid(`${field}[${name}]`, quantity, "must be greater than or equal to 0")]
      : []),
  ])
}

const standard: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"])

function nameErrors(name: string, field: string): readonly FieldError[] {
  const wrong = checkLabelKey(name).map((text) => fieldError.invalid(field, name, text))
  if (wrong.length > 0 || name.includes("/") || standard.has(name) || name.startsWith("hugepages-")) return wrong
  return ["must be a standard resource type or fully qualified", "must be a standard resource for containers"].map((text) =>
    fieldError.invalid(field, name, text),
  )
}

/** What is no part of a node's spare room (a GPU, a huge page) is given exactly or not at all. */
function requestErrors(name: string, request: string, limit: string | undefined, field: string): readonly FieldError[] {
  const exact = name.includes("/") || name.startsWith("hugepages-")
  if (limit === undefined) {
    return exact && !name.startsWith("hugepages-")
      ? [fieldError.required(field.replace(/requests$/, "limits"), `Limit must be set for non overcommitable resources`)]
      : []
  }
  const difference = compareAmounts(parseQuantity(request), parseQuantity(limit))
  if (exact && difference !== 0) return [fieldError.invalid(field, request, `must be equal to ${name} limit of ${limit}`)]
  return difference > 0 ? [fieldError.invalid(field, request, `must be less than or equal to ${name} limit of ${limit}`)] : []
}

function environmentErrors({ env = [] }: Container, field: string): readonly FieldError[] {
  return env.flatMap((variable, index) => [
    ...named(variable.name, checkEnvironmentName, `${field}[${index}].name`),
    ...sourceErrors(variable, `${field}[${index}].valueFrom`),
  ])
}

function sourceErrors({ value = "", valueFrom }: EnvVar, field: string): readonly FieldError[] {
  if (valueFrom === undefined) return []
  const sources = Object.keys(valueFrom).length
  if (sources === 0) return [fieldError.invalid(field, "", kinds)]
  return [
    ...(value === "" ? [] : [fieldError.invalid(field, "", "may not be specified when `value` is not empty")]),
    ...(value === "" && sources > 1 ? [fieldError.invalid(field, "", "may not have more than one field specified at a time")] : []),
    ...fieldPathErrors(valueFrom.fieldRef?.fieldPath, `${field}.fieldRef.fieldPath`),
    ...keyErrors(valueFrom.configMapKeyRef, `${field}.configMapKeyRef`),
    ...keyErrors(valueFrom.secretKeyRef, `${field}.secretKeyRef`),
  ]
}

function keyErrors(ref: EnvVarSource["configMapKeyRef"], field: string): readonly FieldError[] {
  if (ref === undefined) return []
  const { name = "", key = "" } = ref
  return [
    ...checkDns1123Subdomain(name).map((text) => fieldError.invalid(`${field}.name`, name, text)),
    ...(key === "" ? [fieldError.required(`${field}.key`)] : []),
  ]
}

/** Refuses paths that the downward API does not offer. */
function fieldPathErrors(path: string | undefined, field: string): readonly FieldError[] {
  if (path === undefined || paths.has(path) || addresses.has(path) || /^metadata\.(labels|annotations)\[.+\]$/.test(path)) return []
  if (path === "") return [fieldError.required(field)]
  return [fieldError.invalid(field, path, `error converting fieldPath: field label not supported: ${path}`)]
}
