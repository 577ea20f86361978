import type { NewPort } from "../clients/neutron/types.ts"
import { type Identity, markOf } from "./identity.ts"
import { type PortWish, podPortOwner, spareName } from "./pod-vif.ts"

/** What every port of a pod is made with; kuryr's names, so that its tools find it. */
export function portBody(wish: PortWish, identity: Identity): NewPort {
  return {
    project_id: wish.project,
    name: wish.pod?.name ?? spareName,
    network_id: wish.network,
    fixed_ips: wish.subnets.map((subnet_id) => ({ subnet_id })),
    device_owner: podPortOwner,
    admin_state_up: true,
    ...(wish.groups.length > 0 && { security_groups: wish.groups }),
    description: markOf(identity, wish.pod?.uid),
  }
}
