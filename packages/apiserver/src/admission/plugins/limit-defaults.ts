import type { Container, LimitRangeItem, Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { maxObjectBytes, ObjectTooLarge } from "../../storage/object-size.ts"

const annotation = "kubernetes.io/limit-ranger"

/**
 * Fills in what containers leave out, and says so on the pod. Throws what storage would as soon as the defaults alone are too large for it: 10,000 names
 * in a LimitRange and 1,000 containers would be ten million amounts.
 */
export function setDefaultResources({ metadata, spec }: Draft<Pod>, item: LimitRangeItem): void {
  const filling: Filling = { item, bytes: 0 }
  const said = [
    ...(spec?.containers ?? []).flatMap((container) => fill(container, filling, "container")),
    ...(spec?.initContainers ?? []).flatMap((container) => fill(container, filling, "init container")),
  ]
  if (said.length > 0) metadata.annotations = { ...metadata.annotations, [annotation]: `LimitRanger plugin set: ${said.join("; ")}` }
}

interface Filling {
  readonly item: LimitRangeItem
  /** At least as many are added to the pod. */
  bytes: number
}

function fill(container: Draft<Container>, filling: Filling, what: string): readonly string[] {
  const { default: limits = {}, defaultRequest = {} } = filling.item
  container.resources ??= {}
  const { resources } = container
  const missingRequests = missing(defaultRequest, resources.requests)
  const missingLimits = missing(limits, resources.limits)
  for (const name of [...missingRequests, ...missingLimits]) filling.bytes += name.length
  if (filling.bytes > maxObjectBytes) throw new ObjectTooLarge()
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
