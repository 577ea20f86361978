import { PilothouseError } from "@pilothouse/seams"
import type { RemoteApiService } from "../../server/aggregation.ts"
import { aggregatorUser } from "../availability/check-availability.ts"
import type { ExtensionCaller } from "../extension/extension-server.ts"
import { fetchDocument } from "../extension/fetch-document.ts"
import { type DiscoveredVersions, resourcesIn, versionsIn } from "./resource-discovery.ts"

const [v2, v2beta1] = ["v2", "v2beta1"].map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)

/** What an extension server says that it serves. */
export interface FetchedDiscovery {
  readonly versions: DiscoveredVersions
  /** "" where the server gave none. */
  readonly etag: string
  /** Whether it has all group versions of the server, and not only the one that was looked for. */
  readonly isComplete: boolean
}

/** Reads the discovery of the server behind an APIService: the aggregated form, or the older one of its group version. Throws where there is neither. */
export async function fetchDiscovery(
  caller: ExtensionCaller,
  remote: RemoteApiService,
  before?: FetchedDiscovery,
): Promise<FetchedDiscovery> {
  const known = { ...(before !== undefined && before.etag !== "" && { "if-none-match": before.etag }) }
  const aggregated = await fetchDocument(caller, remote, aggregatorUser, "/apis", { accept: `${v2},${v2beta1}`, ...known })
  if (aggregated.status === 304 && before !== undefined) return before
  if (aggregated.status === 503) throw new PilothouseError("CONNECTION_LOST", "the service returned non-success response code: 503")
  if (aggregated.status === 200 && isAggregated(aggregated.contentType)) {
    return { versions: versionsIn(aggregated.value()), etag: aggregated.etag, isComplete: true }
  }
  const { group = "", version = "" } = remote.spec
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  const legacy = await fetchDocument(caller, remote, { name: aggregatorUser.name, groups: [] }, path, { accept: "application/json" })
  if (legacy.status !== 200) {
    throw new PilothouseError("PROTOCOL", `expected the discovery of the group version at ${path}, found status code ${legacy.status}`)
  }
  return { versions: new Map([[`${group}/${version}`, resourcesIn(legacy.value())]]), etag: "", isComplete: false }
}

function isAggregated(contentType: string): boolean {
  const parts = new Set(contentType.split(";").map((part) => part.trim()))
  const has = (version: string) => ["g=apidiscovery.k8s.io", `v=${version}`, "as=APIGroupDiscoveryList"].every((part) => parts.has(part))
  return has("v2") || has("v2beta1")
}
