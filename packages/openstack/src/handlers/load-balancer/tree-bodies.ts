import type { NewListenerTree, NewMember, NewPoolTree } from "../../clients/octavia/types.ts"
import type { Marked } from "../../drivers/identity.ts"
import type { DesiredListener, DesiredTree } from "./tree.ts"

/** A listener with its pool and members, as Octavia is asked for it; `mark` says whose they are. */
export function listenerBody(tree: DesiredTree, listener: DesiredListener, mark: Marked): NewListenerTree {
  return {
    name: listener.name,
    protocol: listener.protocol,
    protocol_port: listener.port,
    ...(listener.allowedCidrs && { allowed_cidrs: listener.allowedCidrs }),
    ...mark,
    default_pool: poolBody(tree, listener, mark),
  }
}

export function poolBody(tree: DesiredTree, listener: DesiredListener, mark: Marked): NewPoolTree {
  return {
    name: listener.name,
    protocol: listener.protocol,
    lb_algorithm: tree.algorithm,
    ...(listener.sticky && { session_persistence: { type: "SOURCE_IP" } }),
    ...mark,
    members: memberBodies(listener),
  }
}

export function memberBodies({ members }: DesiredListener): readonly NewMember[] {
  return members.map(({ name, address, port, subnet }) => ({ name, address, protocol_port: port, subnet_id: subnet }))
}
