import { expect, test } from "vitest"
import type { PodName } from "../vif/pod-vif.ts"
import type { PodPortRequest } from "./pod-ports.ts"
import type { VifPool } from "./vif-pool.ts"

/** What the contract suite of VIF pools is run on. */
export interface VifPoolSubject {
  /** Another one on the same cloud, that knows nothing yet; for which nothing is gone for less than a second. */
  pool(): VifPool
  /** The ports of this cluster, spare ones too. */
  count(): Promise<number>
  request(pod: PodName): PodPortRequest
  /** Ports that carry a pod's UID or are given to one: the UIDs. */
  owners(): Promise<readonly string[]>
  /** Lets what is done in the background be done. */
  settle(): Promise<void>
  /** Lets others get on for a moment. */
  moment(): Promise<void>
}

const web: PodName = { uid: "11111111-2222-4333-8444-555555555555", namespace: "default", name: "web" }
const db: PodName = { ...web, uid: "99999999-2222-4333-8444-555555555555", name: "db" }

/** What every pool of ports promises. */
export function vifPoolContract(name: string, subject: () => Promise<VifPoolSubject>): void {
  const { signal } = new AbortController()

  test(`${name}: a pod that asks twice has one port, and no two pods have the same`, async () => {
    const { pool: make, request } = await subject()
    const pool = make()
    await pool.load({ pods: () => [] }, signal)
    const [first, again, other] = [
      await pool.request(request(web), signal),
      await pool.request(request(web), signal),
      await pool.request(request(db), signal),
    ]
    expect(again.port.id).toBe(first.port.id)
    expect(other.port.id).not.toBe(first.port.id)
  })

  test(`${name}: a pod that asks again while it is being answered has one port, whether it is a spare one or has to be made`, async () => {
    const { pool: make, request, owners, settle, moment } = await subject()
    const pool = make()
    using _listening = pool.background.listen(() => {})
    await pool.load({ pods: () => [] }, signal)
    for (const pod of [web, db]) {
      const asked = [pool.request(request(pod), signal), pool.request(request(pod), signal)]
      while (pool.podPort(pod.uid) === undefined) {
        asked.push(pool.request(request(pod), signal))
        await moment()
      }
      const given = (await Promise.all(asked)).map(({ port }) => port.id)
      expect(new Set(given)).toEqual(new Set([pool.podPort(pod.uid)?.port.id]))
      // By now there are spare ones, where there is a pool.
      await settle()
    }
    expect((await owners()).toSorted()).toEqual([web.uid, db.uid])
  })

  test(`${name}: a released port has no owner; a second release, or one without a port, has no effect`, async () => {
    const { pool: make, request, owners, settle } = await subject()
    const pool = make()
    using _listening = pool.background.listen(() => {})
    await pool.load({ pods: () => [] }, signal)
    await pool.request(request(web), signal)
    for (let time = 0; time < 2; time++) await pool.release(web, signal)
    await pool.release(db, signal)
    await settle()
    expect([pool.podPort(web.uid), await owners()]).toEqual([undefined, []])
  })

  test(`${name}: a new pool gives a pod the port it has`, async () => {
    const { pool: make, request } = await subject()
    const before = make()
    expect(before.isLoaded).toBe(false)
    await before.load({ pods: () => [] }, signal)
    const { port } = await before.request(request(web), signal)
    const after = make()
    await after.load({ pods: () => [{ uid: web.uid, port: port.id }] }, signal)
    expect([after.isLoaded, (await after.request(request(web), signal)).port.id]).toEqual([true, port.id])
  })

  test(`${name}: spare ports stay while their node is there, and go when it is gone`, async () => {
    const { pool: make, request, count, settle } = await subject()
    const pool = make()
    using _listening = pool.background.listen(() => {})
    const { node, hostIp } = request(web)
    const nodes = [{ name: node, addresses: [hostIp] }]
    await pool.load({ pods: () => [], nodes: () => nodes }, signal)
    await pool.request(request(web), signal)
    await settle()
    await pool.release(web, signal)
    await settle()
    expect((await count()) > 0).toBe(name !== "noop")
    nodes.length = 0
    for (let times = 0; times < 20 && (await count()) > 0; times++) await settle()
    expect(await count()).toBe(0)
  })
}
