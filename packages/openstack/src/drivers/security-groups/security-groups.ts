import type { KubeObject } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"

/** Which security groups the ports of an object get. NetworkPolicy would be another one of these. */
export interface SecurityGroupsDriver {
  groupsFor(object: KubeObject, namespace: Namespace | undefined): readonly string[]
}

/** The same groups for all. */
export function defaultSecurityGroups(groups: readonly string[]): SecurityGroupsDriver {
  return { groupsFor: () => groups }
}

/** On a namespace: the IDs of the groups of everything in it, with commas between them. */
export const securityGroupsAnnotation = "openstack.org/kuryr-security-groups"

/** Returns the security groups that the namespace names, else the default ones. */
export function namespaceSecurityGroups(groups: readonly string[]): SecurityGroupsDriver {
  return {
    groupsFor(_, namespace) {
      const own = namespace?.metadata.annotations?.[securityGroupsAnnotation]?.split(",").map((group) => group.trim())
      const named = own?.filter((group) => group !== "") ?? []
      return named.length > 0 ? named : groups
    },
  }
}
