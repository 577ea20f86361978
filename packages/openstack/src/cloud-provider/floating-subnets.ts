import { CloudError } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { Subnet } from "../clients/neutron/types.ts"
import { namePattern } from "./name-pattern.ts"

/** Which subnets of the network outside an address may come from; undefined in all: any. */
export interface FloatingSubnetRequest {
  readonly floatingSubnetId?: string
  /** A name with * and ?, or a regular expression behind a ~; a ! in front turns it round. */
  readonly floatingSubnet?: string
  /** Tags with commas between: one of them, with & in front all of them; a ! before that turns it round. */
  readonly floatingSubnetTags?: string
}

/** The subnets to try, one after the other; one undefined: the cloud may choose. */
export async function floatingSubnets(
  { neutron }: OpenStack,
  request: FloatingSubnetRequest,
  network: string,
  signal: AbortSignal,
): Promise<readonly (string | undefined)[]> {
  const { floatingSubnetId: id } = request
  if (id === undefined && request.floatingSubnet === undefined && request.floatingSubnetTags === undefined) return [undefined]
  const all = await neutron.subnets.list({ network_id: network }, { signal })
  const matches = all.filter((subnet) => (id === undefined ? isMatch(subnet, request) : subnet.id === id))
  if (matches.length > 0) return matches.map((subnet) => subnet.id)
  const desired = id ?? [request.floatingSubnet, request.floatingSubnetTags].filter(Boolean).join(" with the tags ")
  const known = all.map(({ name, id: its }) => name || its).join(", ") || "none"
  throw new CloudError(`expected the subnet ${desired} in the floating network ${network}, found ${known}`, { retryable: false })
}

/** Pure. */
function isMatch(
  subnet: Pick<Subnet, "name"> & { readonly tags?: readonly string[] },
  { floatingSubnet: name, floatingSubnetTags: tags }: FloatingSubnetRequest,
): boolean {
  return (name === undefined || hasName(subnet.name, name)) && (tags === undefined || hasTags(subnet.tags ?? [], tags))
}

function hasName(name: string, pattern: string): boolean {
  if (pattern.startsWith("!")) return !hasName(name, pattern.slice(1))
  const expression = pattern.startsWith("~") ? pattern.slice(1) : globbed(pattern)
  try {
    return namePattern(expression)(name)
  } catch (cause) {
    throw new CloudError(`expected a regular expression as floating-subnet, found "${expression}"`, { retryable: false, cause })
  }
}

function globbed(pattern: string): string {
  return pattern
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
}

function hasTags(have: readonly string[], desired: string): boolean {
  if (desired.startsWith("!")) return !hasTags(have, desired.slice(1))
  const all = desired.startsWith("&")
  const tags = desired
    .slice(all ? 1 : 0)
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
  return all ? tags.every((tag) => have.includes(tag)) : tags.some((tag) => have.includes(tag))
}
