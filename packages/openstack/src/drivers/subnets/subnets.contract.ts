import { expect, test } from "vitest"
import type { SubnetsDriver } from "./subnets.ts"

/** What the contract suite of subnet drivers is run on. */
export interface SubnetsSubject {
  readonly driver: SubnetsDriver
  /** Calls that the cloud has answered. */
  calls(): number
  /** The cloud is away, or back. */
  away(isAway: boolean): void
}

const web = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" } }

/** What every driver of subnets promises. */
export function subnetsContract(name: string, subject: () => Promise<SubnetsSubject>): void {
  test(`${name}: all subnets of an answer are of its one network`, async () => {
    const { network, subnets } = await (await subject()).driver.subnetsFor(web)
    expect(subnets.length).toBeGreaterThan(0)
    expect(subnets.every(({ network_id }) => network_id === network.id)).toBe(true)
  })

  test(`${name}: what is known is not asked again for every pod`, async () => {
    const { driver, calls } = await subject()
    await driver.subnetsFor(web)
    const before = calls()
    await driver.subnetsFor({ ...web, metadata: { name: "db", namespace: "default" } })
    expect(calls()).toBe(before)
  })

  test(`${name}: a question that failed is asked again`, async () => {
    const { driver, away } = await subject()
    away(true)
    await expect(driver.subnetsFor(web)).rejects.toThrow()
    away(false)
    expect((await driver.subnetsFor(web)).subnets).toHaveLength(1)
  })
}
