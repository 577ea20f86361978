import { expect } from "vitest"
import type { LoadBalancer } from "../../clients/octavia/types.ts"
import { isOfCluster } from "../../drivers/creation/cluster-marks.ts"
import { type HandlersSubject, served, stateOn } from "./subject.ts"

/** What is written down is what there is, and all of it is ACTIVE. */
export async function sameAsCloud(run: HandlersSubject, name: string): Promise<void> {
  const state = await stateOn(run, name)
  const { octavia } = run.cloud
  const id = state?.loadbalancer?.id ?? ""
  const [listeners, pools] = [await octavia.listeners.list({ loadbalancer_id: id }), await octavia.pools.list({ loadbalancer_id: id })]
  const members = (await Promise.all(pools.map((pool) => octavia.members(pool.id).list()))).flat()
  const ids = (some: readonly { readonly id: string }[] = []) => some.map((one) => one.id).sort()
  expect([ids(state?.listeners), ids(state?.pools), ids(state?.members)]).toEqual([ids(listeners), ids(pools), ids(members)])
  const unready = [...listeners, ...pools, ...members].filter(({ provisioning_status }) => provisioning_status !== "ACTIVE")
  expect(unready.map((one) => `${one.name} is ${one.provisioning_status}`)).toEqual([])
}

export async function listBalancers({ cloud, clusterMarks, project }: HandlersSubject): Promise<readonly LoadBalancer[]> {
  return (await cloud.octavia.loadBalancers.list({ project_id: project })).filter((one) => isOfCluster(one, clusterMarks))
}

export function balancersGone(run: HandlersSubject): Promise<void> {
  return run.until(async () => (await listBalancers(run)).length === 0)
}

export function objectRef(name: string, kind = "Service") {
  return { apiVersion: "v1", kind, metadata: { namespace: served, name } }
}
