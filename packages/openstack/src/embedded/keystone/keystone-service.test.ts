import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { EmbeddedOpenStack } from "../embedded-open-stack.ts"

const hour = 3_600_000

test("tokens that are not used again were kept for ever: expired ones go with the next that is issued, and 10,000 is the most", async () => {
  const clock = new VirtualClock()
  const cloud = new EmbeddedOpenStack({ clock, random: seededRandom(1), knobs: { tokenLife: hour } })
  const [account] = cloud.keystone.accounts.values()
  const { name, password } = account!
  const issue = cloud.keystone.routes()["POST /v3/auth/tokens"]!
  const body = { auth: { identity: { methods: ["password"], password: { user: { name, password } } } } }
  const token = async () => {
    const answer = await issue({ body } as never)
    return (answer as { readonly headers: Readonly<Record<string, string>> }).headers["x-subject-token"]
  }
  const first = await token()
  for (let count = 1; count < 100; count++) await token()
  expect(cloud.keystone.tokenCount).toBe(100)
  await clock.advance(hour)
  const second = await token()
  expect(cloud.keystone.tokenCount).toBe(1)
  expect(() => cloud.keystone.tokenProject(first)).toThrow()
  for (let count = 0; count < 9999; count++) await token()
  expect([cloud.keystone.tokenCount, cloud.keystone.tokenProject(second)]).toEqual([10_000, ""])
  await token()
  expect(cloud.keystone.tokenCount).toBe(10_000)
  expect(() => cloud.keystone.tokenProject(second)).toThrow()
})
