import { splitKey } from "@pilothouse/api"
import { judge } from "../convert/judge.ts"
import { hostnameOf } from "../convert/names.ts"
import type { EndpointSource } from "../convert/source.ts"
import type { RegistryState } from "../state/state.ts"
import { announce } from "./announce.ts"

/** A source of endpoints came, changed or went, or something around it changed. */
export function applyEndpointsChange(state: RegistryState, key: string, source: EndpointSource | undefined): void {
  if (source === undefined) state.handled.delete(key)
  else state.handled.add(key)
  const seen = source !== undefined && state.selection.has(splitKey(key).namespace ?? "") ? source : undefined
  const hostname = seen?.service === undefined ? undefined : hostnameOf(splitKey(seen.service), state.conversion.domainSuffix)
  const before = state.endpoints.serviceOf(key)
  if (before !== undefined && before !== hostname) putEndpoints(state, before, key, undefined)
  if (hostname !== undefined && state.services.get(hostname) !== undefined) putEndpoints(state, hostname, key, seen)
  else wait(state, key, new Set())
}

function putEndpoints(state: RegistryState, hostname: string, key: string, source: EndpointSource | undefined): void {
  const service = state.services.get(hostname)
  const judged = source === undefined || service === undefined ? [] : judge(source, state.surroundings(service))
  wait(state, key, new Set(judged.flatMap(({ waitsFor }) => waitsFor ?? [])))
  const endpoints = judged.flatMap(({ endpoint }) => endpoint ?? [])
  const change = state.endpoints.put(hostname, key, endpoints)
  if (change !== undefined && service !== undefined) announce(state, service, change)
}

function wait(state: RegistryState, key: string, pods: ReadonlySet<string>): void {
  const before = state.waiting.of(key)
  if (pods.size === 0 && before.size === 0) return
  for (const pod of pods) if (!before.has(pod)) state.metrics.endpointWithoutPod()
  state.waiting.put(key, pods)
  state.metrics.pendingPods(state.waiting.count)
}
