import { expect, test } from "vitest"
import type { PodName, PodVifDriver, PortRequest } from "./pod-vif.ts"

/** What the contract suite of VIF drivers is run on. */
export interface PodVifSubject {
  readonly driver: PodVifDriver
  /** A request that the cloud can satisfy. */
  request(pod?: PodName): PortRequest
  /** Ports of pods that the cloud has now. */
  count(): number | Promise<number>
}

const web: PodName = { uid: "11111111-2222-4333-8444-555555555555", namespace: "default", name: "web" }
const db: PodName = { ...web, uid: "99999999-2222-4333-8444-555555555555", name: "db" }

/** What every way of wiring pods promises. */
export function podVifContract(name: string, subject: () => Promise<PodVifSubject>): void {
  const { signal } = new AbortController()

  test(`${name}: ports come in the order of the requests, with the pods' names and addresses`, async () => {
    const { driver, request, count } = await subject()
    const made = await driver.create([request(web), request(db), request()], signal)
    expect(made.map(({ port }) => port.name)).toEqual(["web", "db", "available-port"])
    expect(made.every(({ port }) => port.fixed_ips.length === 1)).toBe(true)
    expect(await count()).toBe(3)
  })

  test(`${name}: the port of a pod is found by its UID, and only that one`, async () => {
    const { driver, request } = await subject()
    const [made] = await driver.create([request(web), request(db)], signal)
    expect((await driver.find(web, signal)).map(({ port }) => port.id)).toEqual([made?.port.id])
    expect(await driver.find({ ...web, uid: "missing" }, signal)).toEqual([])
  })

  test(`${name}: all of them are listed, with what is needed to give them out again`, async () => {
    const { driver, request } = await subject()
    const made = await driver.create([request(web), request()], signal)
    const listed = await driver.list(signal)
    expect(listed.map(({ port }) => port.id).sort()).toEqual(made.map(({ port }) => port.id).sort())
    expect(listed.map(({ vlanId }) => vlanId).sort()).toEqual(made.map(({ vlanId }) => vlanId).sort())
  })

  test(`${name}: a spare port becomes a pod's and a spare one again; both can be repeated`, async () => {
    const { driver, request } = await subject()
    const [spare] = await driver.create([request()], signal)
    for (let time = 0; time < 2; time++) expect((await driver.assign(spare!, request(web), signal)).port.name).toBe("web")
    expect(await driver.find(web, signal)).toHaveLength(1)
    for (let time = 0; time < 2; time++) expect((await driver.recycle(spare!, request(), signal)).port.name).toBe("available-port")
    expect(await driver.find(web, signal)).toEqual([])
  })

  test(`${name}: a port can be marked with its owner, beside its description; nothing else of it changes, and it can be repeated`, async () => {
    const { driver, request } = await subject()
    const [spare] = await driver.create([request()], signal)
    const once = await driver.mark(spare!, web.uid, signal)
    const twice = await driver.mark(once, web.uid, signal)
    const { name: before, device_id, security_groups, fixed_ips } = spare!.port
    expect(once.port).toMatchObject({
      name: before,
      device_id,
      security_groups,
      fixed_ips,
      description: `${spare?.port.description} pilothouse:owner=${web.uid}`,
    })
    expect([twice.port.description, twice.vlanId, twice.host]).toEqual([once.port.description, spare?.vlanId, spare?.host])
  })

  test(`${name}: removing what is gone succeeds`, async () => {
    const { driver, request, count } = await subject()
    const made = await driver.create([request(web)], signal)
    await driver.remove(made, signal)
    await driver.remove(made, signal)
    expect(await count()).toBe(0)
  })
}
