import { setTimeout as delay } from "node:timers/promises"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { ControlPlane } from "../control-plane.ts"
import type { Group } from "../tally.ts"
import { leaseSeconds, type Replica } from "./replica.ts"

export const leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"

/** The port on which the leader answers questions, as its Lease says. */
export function leaderOf(value: unknown): number | undefined {
  const { metadata, spec } = value as Partial<Lease>
  const address = metadata?.annotations?.["pilothouse.dev/debug-address"]
  return address === undefined || !spec?.holderIdentity ? undefined : Number(new URL(address).port)
}

/** Ends the leader as a machine that fails would, and times the other one. */
export async function takeOver(group: Group, { client }: ControlPlane, leader: Replica, standby: Replica): Promise<void> {
  const leading = async () => leaderOf((await client.send({ verb: "GET", path: leasePath })).value)
  group.case("the first one leads", (await leading()) === leader.port ? undefined : `port ${await leading()} does`)
  const killed = performance.now()
  leader.child.kill()
  await leader.child.ended
  const limit = (leaseSeconds + 2) * 1000
  while (performance.now() - killed < 2 * limit) {
    if ((await leading()) === standby.port) break
    await delay(20)
  }
  const took = performance.now() - killed
  group.case(`the other leads within ${limit} ms`, took <= limit ? undefined : `it took ${Math.round(took)} ms`)
  group.note(`the other leads after ${(took / 1000).toFixed(2)} s; the lease lasts ${leaseSeconds} s`)
}
