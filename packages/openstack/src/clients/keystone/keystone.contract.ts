import { describe, expect, test } from "vitest"
import { openStack } from "../cloud.ts"
import { type CloudFixture, type ContractTools, withTools } from "../testing/cloud-fixture.ts"

/** What Keystone and our way of using it promise. */
export function keystoneContract(name: string, make: () => Promise<CloudFixture>): void {
  const row = (what: string, work: (tools: ContractTools) => Promise<void>) =>
    test(what, async () => withTools(await make(), "keystone-contract", work))

  describe(`the Keystone contract: ${name}`, () => {
    row("a password gives a token of the project, with a catalog", async ({ cloud, place }) => {
      const token = await cloud.keystone.token()
      expect(token.project?.id).toBe(place.project)
      expect(token.catalog.map((entry) => entry.type)).toEqual(expect.arrayContaining(["network", "load-balancer"]))
      expect(await cloud.keystone.projectId()).toBe(place.project)
    })

    row("a token is asked for once, however many need it", async ({ cloud }) => {
      const [one, two] = await Promise.all([cloud.keystone.token(), cloud.keystone.token()])
      expect(one.text).toBe(two.text)
      expect((await cloud.keystone.token()).text).toBe(one.text)
    })

    row("a token that is refused is renewed", async ({ cloud }) => {
      const first = await cloud.keystone.token()
      const second = await cloud.keystone.token({ refused: first.text })
      expect((await cloud.keystone.token()).text).toBe(second.text)
    })

    row("a token gives another token", async ({ cloud, access, connect, clock, place }) => {
      const { text } = await cloud.keystone.token()
      const credentials = { type: "token" as const, token: text, project: { id: place.project } }
      const other = openStack({ access: { ...access, credentials }, connect, clock })
      expect(await other.keystone.projectId()).toBe(place.project)
    })

    row("a wrong password is unauthorized, and is not tried again", async ({ access, connect, clock }) => {
      if (access.credentials.type !== "password") return
      const credentials = { ...access.credentials, password: "wrong" }
      const wrong = openStack({ access: { ...access, credentials }, connect, clock })
      await expect(wrong.keystone.token()).rejects.toMatchObject({ kind: "unauthorized", retryable: false, refusal: { status: 401 } })
    })

    row("a service that the catalog does not have is named, with what there is", async ({ cloud }) => {
      await expect(cloud.keystone.endpoint("compute-missing")).rejects.toThrow(/"compute-missing".*network/)
    })

    row("a region without the service is named", async ({ access, connect, clock }) => {
      const elsewhere = openStack({ access: { ...access, region: "Nowhere" }, connect, clock })
      await expect(elsewhere.neutron.networks.list()).rejects.toThrow(/region Nowhere.*public in RegionOne/)
    })
  })
}
