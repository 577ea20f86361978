import type { NewPort } from "../../clients/neutron/types.ts"
import { type ClusterMarks, markDescription } from "../creation/cluster-marks.ts"
import { type PortRequest, podPortOwner, spareName } from "./pod-vif.ts"

/** Returns the body with which every port of a pod is created; the names are kuryr's, so that its tools find it. */
export function portBody(request: PortRequest, clusterMarks: ClusterMarks): NewPort {
  return {
    project_id: request.project,
    name: request.pod?.name ?? spareName,
    network_id: request.network,
    fixed_ips: request.subnets.map((subnet_id) => ({ subnet_id })),
    device_owner: podPortOwner,
    admin_state_up: true,
    ...(request.groups.length > 0 && { security_groups: request.groups }),
    description: markDescription(clusterMarks, request.pod?.uid),
  }
}
