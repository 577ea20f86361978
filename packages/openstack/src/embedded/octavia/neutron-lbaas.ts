import { neutronProblem, Problem } from "../rest/problem.ts"
import type { Handle, Routes } from "../rest/routes.ts"
import { lbaasRoutes } from "./octavia-service.ts"
import { withoutTags } from "./older-octavia.ts"
import type { OctaviaState } from "./state.ts"

const base = "/v2.0/lbaas"

/** What the old service did not know is not there. */
const absent: readonly string[] = [`PUT ${base}/pools/*/members`, `GET ${base}/loadbalancers/*/status`]

/** neutron-lbaas v2 at Neutron's own address: the same load balancers, with older names. */
export function neutronLbaasRoutes(state: OctaviaState): Routes {
  const routes = lbaasRoutes(state, base)
  const supported = Object.entries(routes).filter(([name]) => !absent.includes(name))
  return {
    ...Object.fromEntries(supported.map(([name, handle]) => [name, asNeutron(handle)])),
    [`GET ${base}/loadbalancers/*/statuses`]: asNeutron(routes[`GET ${base}/loadbalancers/*/status`]!),
  }
}

function asNeutron(handle: Handle): Handle {
  return (request) => {
    refuseNewer(request.body)
    try {
      return withoutTags(handle({ ...request, query: withoutCascade(request.query) }))
    } catch (error) {
      throw error instanceof Problem ? translated(error) : error
    }
  }
}

function withoutCascade({ cascade: _, ...query }: Parameters<Handle>[0]["query"]): Parameters<Handle>[0]["query"] {
  return query
}

function refuseNewer(body: unknown): void {
  for (const requested of typeof body === "object" && body !== null ? Object.values(body) : []) {
    const newer = ["tags", "allowed_cidrs"].filter((name) => typeof requested === "object" && requested !== null && name in requested)
    if (newer.length > 0) throw neutronProblem(400, "HTTPBadRequest", `Unrecognized attribute(s) '${newer.join(", ")}'`)
  }
}

function translated({ status, message }: Problem): Problem {
  // prose: Octavia's own text, which its fault codes do not replace.
  if (/immutable|Invalid state/.test(message)) return neutronProblem(409, "StateInvalid", message)
  // prose: as above, Octavia's own text.
  if (/has children/.test(message)) return neutronProblem(409, "EntityInUse", message)
  if (status === 404) return neutronProblem(404, "EntityNotFound", message)
  if (status === 403) return neutronProblem(409, "OverQuota", message)
  // prose: as above, Octavia's own text.
  if (/already allocated/.test(message)) return neutronProblem(409, "IpAddressAlreadyAllocated", message)
  if (status === 409)
    // prose: as above, Octavia's own text.
    return neutronProblem(409, /[Ll]istener/.test(message) ? "LoadBalancerListenerProtocolPortExists" : "MemberExists", message)
  return neutronProblem(status === 500 ? 400 : status, "HTTPBadRequest", message)
}
