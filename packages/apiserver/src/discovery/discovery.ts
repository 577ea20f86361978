import { queryValue, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { wantsPretty } from "../request/accept.ts"
import { groupDiscoveryList } from "./aggregated.ts"
import { documentResponse, type StaticDocument, staticDocument } from "./document.ts"
import type { ServedGroup } from "./groups.ts"
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./legacy.ts"

/** Answers a request for discovery; undefined for any other. */
export type Discovery = (request: TransportRequest) => TransportResponse | undefined

/** What this server has, said in the two ways clients ask for it. Each document is made when first asked for, and kept. */
export function discovery(groups: readonly ServedGroup[]): Discovery {
  const documents = new Map<string, StaticDocument>()
  return (request) => {
    if (request.verb !== "GET") return undefined
    const parts = request.path.replace(/^\/|\/$/g, "").split("/")
    if ((parts[0] !== "api" && parts[0] !== "apis") || parts.length > 3) return undefined
    const aggregated = parts.length === 1 && wantsAggregated(request.headers.accept)
    const key = `${aggregated} ${parts.join("/")} ${parts.length === 1 ? request.headers.host : ""}`
    const known = documents.get(key) ?? makeDocument(groups, parts, aggregated, request.headers.host ?? "")
    if (known === undefined) return undefined
    // Clients name the host: a bound, in case one makes up new ones for ever.
    if (documents.size > 1000) documents.clear()
    documents.set(key, known)
    const answer = documentResponse(known, request, parts.length === 1 ? {} : { "cache-control": "no-cache, private" })
    return wantsPretty(queryValue(request.query, "pretty"), request.headers["user-agent"]) ? pretty(answer) : answer
  }
}

/** For people; programs get it as short as it can be. */
function pretty(answer: TransportResponse): TransportResponse {
  const { body } = answer
  if (answer.status !== 200 || body.type !== "bytes") return answer
  const value: unknown = JSON.parse(new TextDecoder().decode(body.bytes))
  return { ...answer, body: { ...body, bytes: Buffer.from(JSON.stringify(value, undefined, 2)) } }
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/** v2beta1 is off since 1.33: who asks for it alone gets the legacy form. Parameters may come in any order. */
function wantsAggregated(accept = ""): boolean {
  return accept.split(",").some((clause) => {
    const parts = clause.split(";").map((part) => part.trim())
    return aggregatedType.split(";").every((part) => parts.includes(part))
  })
}

function makeDocument(
  groups: readonly ServedGroup[],
  parts: readonly string[],
  aggregated: boolean,
  host: string,
): StaticDocument | undefined {
  const core = groups.filter(({ name }) => name === "")
  const named = groups.filter(({ name }) => name !== "")
  const [root, first, second] = parts
  if (aggregated) return staticDocument(groupDiscoveryList(root === "api" ? core : named), aggregatedType)
  if (root === "api") {
    if (second !== undefined || core[0] === undefined) return undefined
    return first === undefined ? staticDocument(apiVersions(core[0], host)) : resourcesOf(core[0], first)
  }
  if (first === undefined) return staticDocument(apiGroupList(named))
  const group = named.find(({ name }) => name === first)
  if (group === undefined) return undefined
  return second === undefined ? staticDocument(apiGroup(group)) : resourcesOf(group, second)
}

function resourcesOf(group: ServedGroup, asked: string): StaticDocument | undefined {
  const served = group.versions.find(({ version }) => version === asked)
  return served && staticDocument(apiResourceList(served))
}
