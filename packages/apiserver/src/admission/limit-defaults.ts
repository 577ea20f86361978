import type { Container, LimitRangeItem, Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../draft.ts"

const annotation = "kubernetes.io/limit-ranger"

/** Fills in what containers leave out, and says so on the pod. */
export function setDefaultResources({ metadata, spec }: Draft<Pod>, item: LimitRangeItem): void {
  const said = [
    ...(spec?.containers ?? []).flatMap((container) => fill(container, item, "container")),
    ...(spec?.initContainers ?? []).flatMap((container) => fill(container, item, "init container")),
  ]
  if (said.length > 0) metadata.annotations = { ...metadata.annotations, [annotation]: `LimitRanger plugin set: ${said.join("; ")}` }
}

function fill(container: Draft<Container>, { default: limits = {}, defaultRequest = {} }: LimitRangeItem, what: string): readonly string[] {
  container.resources ??= {}
  const { resources } = container
  const missingRequests = missing(defaultRequest, resources.requests)
  const missingLimits = missing(limits, resources.limits)
  if (missingRequests.length > 0) resources.requests = { ...defaultRequest, ...resources.requests }
  if (missingLimits.length > 0) resources.limits = { ...limits, ...resources.limits }
  return [...said(missingRequests, "request", what, container.name), ...said(missingLimits, "limit", what, container.name)]
}

function missing(defaults: Readonly<Record<string, string>>, given: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.keys(defaults).filter((name) => !Object.hasOwn(given, name))
}

function said(names: readonly string[], kind: string, what: string, container: string): readonly string[] {
  return names.length === 0 ? [] : [`${[...names].sort().join(", ")} ${kind} for ${what} ${container}`]
}
