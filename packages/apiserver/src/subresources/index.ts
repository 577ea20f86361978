import { methodNotAllowed, notFound } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import { noSuchResource } from "../request/no-such-resource.ts"
import { notAllowed } from "../request/not-allowed.ts"
import { isCustom } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"
import { approval } from "./approval.ts"
import { binding } from "./binding.ts"
import { ephemeralContainers } from "./ephemeral-containers.ts"
import { eviction } from "./eviction.ts"
import { finalize } from "./finalize.ts"
import { log } from "./log.ts"
import { nodeProxy, podProxy, serviceProxy } from "./proxy.ts"
import { resize } from "./resize.ts"
import { scale } from "./scale.ts"
import { status } from "./status.ts"
import { streaming } from "./streaming.ts"
import { token } from "./token.ts"

type SubresourceFunction = (call: Call) => Promise<TransportResponse>

/** By name, or by resource and name where the same word means different things. */
const subresources: Readonly<Record<string, SubresourceFunction>> = {
  status,
  scale,
  "pods/binding": binding,
  "pods/eviction": eviction,
  "pods/ephemeralcontainers": ephemeralContainers,
  "pods/resize": resize,
  "pods/log": log,
  "pods/exec": streaming,
  "pods/attach": streaming,
  "pods/portforward": streaming,
  "pods/proxy": podProxy,
  "nodes/proxy": nodeProxy,
  "services/proxy": serviceProxy,
  "serviceaccounts/token": token,
  "certificatesigningrequests/approval": approval,
  "namespaces/finalize": finalize,
}

/** Returns what serves the subresource of a call. Throws NotFound or MethodNotAllowed as kube-apiserver answers. */
export function subresourceFunction(call: Call): SubresourceFunction {
  const { descriptor } = call.resource
  const known = descriptor.subresources.find(({ name }) => name === call.subresource)
  // Custom resources are served behind the router, by a handler that knows the resource.
  const custom = isCustom(call.resource)
  if (known === undefined) throw custom ? notFound(descriptor, call.name) : noSuchResource()
  if (!known.verbs.includes(call.verb)) throw custom ? methodNotAllowed(descriptor, call.verb) : notAllowed()
  const serve = subresources[`${descriptor.plural}/${known.name}`] ?? subresources[known.name]
  if (serve === undefined) throw noSuchResource()
  return serve
}
