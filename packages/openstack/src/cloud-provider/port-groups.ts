import { isRefusal } from "../clients/calls/errors.ts"
import type { OpenStack } from "../clients/cloud.ts"
import type { Port } from "../clients/neutron/types.ts"

/** How often the list is read and written again when another client changes it at the same time. */
const maxTries = 10

interface GroupMembers {
  readonly subnet: string
  /** In that subnet. */
  readonly addresses: ReadonlySet<string>
}

/**
 * Puts a group on the ports with an address of a member, and takes it off all others; undefined: off all. Ports without port security take no groups.
 * True: something was changed.
 */
export async function changeGroups(
  { neutron }: OpenStack,
  group: string,
  members: GroupMembers | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const isMember = ({ fixed_ips }: Port) =>
    members !== undefined &&
    fixed_ips.some(({ ip_address, subnet_id }) => subnet_id === members.subnet && members.addresses.has(ip_address))
  const filters = [{ security_groups: [group] }, ...(members === undefined ? [] : [{ fixed_ips: [`subnet_id=${members.subnet}`] }])]
  const found = (await Promise.all(filters.map((filter) => neutron.ports.list(filter, { signal })))).flat()
  const all = [...new Map(found.map((port) => [port.id, port])).values()]
  const wrong = all.filter((port) => port.port_security_enabled !== false && isMember(port) !== port.security_groups.includes(group))
  for (const { id } of wrong) await changeOne({ neutron }, id, group, isMember, signal)
  return wrong.length > 0
}

async function changeOne(
  { neutron }: Pick<OpenStack, "neutron">,
  id: string,
  group: string,
  isMember: (port: Port) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const port = await neutron.ports.find(id, { signal })
    if (port === undefined || isMember(port) === port.security_groups.includes(group)) return
    const rest = port.security_groups.filter((one) => one !== group)
    const security_groups = isMember(port) ? [...rest, group] : rest
    try {
      await neutron.ports.update(id, { security_groups }, { ifRevision: port.revision_number, signal })
      return
    } catch (error) {
      if (tries === maxTries || !isRefusal(error, "stale")) throw error
    }
  }
}
