import type { Container, PodSpec, PodTemplateSpec, Probe, Volume } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"

/** Sets the defaults of a pod's spec. Those of a pod and of a template are the same, but for what `defaultPod` adds. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  spec.dnsPolicy ??= "ClusterFirst"
  spec.restartPolicy ??= "Always"
  spec.terminationGracePeriodSeconds ??= 30
  spec.schedulerName ??= "default-scheduler"
  spec.securityContext ??= {}
  mirrorServiceAccount(spec)
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
  for (const container of containers) defaultContainer(container)
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container)
  for (const volume of spec.volumes ?? []) defaultVolume(volume)
}

export function defaultTemplate(template: Draft<PodTemplateSpec> | undefined): void {
  if (template?.spec === undefined) return
  defaultPodSpec(template.spec)
}

/** The old name of a field, which old clients still read. */
function mirrorServiceAccount(spec: Draft<PodSpec>): void {
  const name = spec.serviceAccountName || spec.serviceAccount
  if (name === undefined || name === "") return
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

/** What containers, init containers and ephemeral ones have in common. */
type AnyContainer = Omit<Draft<Container>, "name"> & { name?: string }

function defaultContainer(container: AnyContainer): void {
  container.imagePullPolicy ??= pullPolicy(container.image ?? "")
  container.terminationMessagePath ??= "/dev/termination-log"
  container.terminationMessagePolicy ??= "File"
  container.resources ??= {}
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) if (probe) defaultProbe(probe)
  defaultHooks(container)
  for (const { valueFrom } of container.env ?? []) defaultFieldRef(valueFrom)
}

function defaultHooks({ lifecycle }: AnyContainer): void {
  for (const hook of [lifecycle?.postStart, lifecycle?.preStop]) if (hook?.httpGet) defaultHttpGet(hook.httpGet)
}

function defaultFieldRef(holder: { fieldRef?: { apiVersion?: string } } | undefined): void {
  if (holder?.fieldRef) holder.fieldRef.apiVersion ??= "v1"
}

/** Requests of a pod's containers are their limits where the author was silent. Templates stay as they are: their pods are defaulted. */
export function defaultRequests(spec: Draft<PodSpec>): void {
  for (const { resources } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const missing = Object.entries(resources?.limits ?? {}).filter(([name]) => !Object.hasOwn(resources?.requests ?? {}, name))
    if (missing.length > 0) resources!.requests = { ...resources!.requests, ...Object.fromEntries(missing) }
  }
}

/** An image whose tag may move is asked for every time. */
function pullPolicy(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent"
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent"
}

function defaultProbe(probe: Draft<Probe>): void {
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
  if (probe.httpGet) defaultHttpGet(probe.httpGet)
  if (probe.grpc) probe.grpc.service ??= ""
}

function defaultHttpGet(get: { path?: string; scheme?: "HTTP" | "HTTPS" }): void {
  get.path ||= "/"
  get.scheme ??= "HTTP"
}

/** On the network of the host ports are the host's. Only of pods: a template keeps what its author wrote. */
export function defaultHostPorts({ hostNetwork, initContainers = [], containers = [] }: Draft<PodSpec>): void {
  if (hostNetwork !== true) return
  for (const { ports } of [...initContainers, ...containers]) for (const port of ports ?? []) port.hostPort ||= port.containerPort
}

function defaultVolume(volume: Draft<Volume>): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {}
  defaultImage(volume.image)
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) if (source) source.defaultMode ??= 420
  if (volume.hostPath) volume.hostPath.type ??= ""
  if (volume.azureDisk) volume.azureDisk.readOnly ??= false
  for (const item of volume.downwardAPI?.items ?? []) defaultFieldRef(item)
  for (const source of volume.projected?.sources ?? []) defaultProjection(source)
}

function defaultImage(image: Draft<Volume>["image"]): void {
  if (image !== undefined) image.pullPolicy ??= pullPolicy(image.reference ?? "")
}

function defaultProjection(source: NonNullable<NonNullable<Draft<Volume>["projected"]>["sources"]>[number]): void {
  if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600
  for (const item of source.downwardAPI?.items ?? []) defaultFieldRef(item)
}
