import type { Neutron } from "../../clients/neutron/neutron.ts"
import { type ClusterMarks, withMark } from "../creation/cluster-marks.ts"
import type { PodPort } from "./pod-vif.ts"

/** Only its description changes: a pod uses it. */
export async function markPort(
  neutron: Pick<Neutron, "ports">,
  clusterMarks: ClusterMarks,
  { port, ...place }: PodPort,
  owner: string,
  signal: AbortSignal,
): Promise<PodPort> {
  const description = withMark(port.description, clusterMarks, owner)
  return { ...place, port: await neutron.ports.update(port.id, { description }, { signal }) }
}
