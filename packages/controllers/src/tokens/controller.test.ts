import { conflict, serviceUnavailable } from "@pilothouse/api"
import { namespaces, type Secret, type ServiceAccount, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { text } from "./testing/tokens.ts"

const only = { controllers: ["serviceaccount-token"], nodes: 0, needs: { rootCa: "CA" } }
const forAll = { ...only, settings: { "service-account-token-for-every-account": true } }
const robot: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default" } }

function secret(name = "t", account = "robot"): Secret {
  const annotations = { "kubernetes.io/service-account.name": account }
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: { name, namespace: "default", annotations },
  }
}

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(secrets, { namespace: "default" })).map(({ metadata }) => metadata.name).sort()
}

async function references(running: Cluster): Promise<readonly (string | undefined)[]> {
  return ((await running.client.get(serviceAccounts, "default/robot")).secrets ?? []).map(({ name }) => name)
}

/** Refuses what the test says, as often as it says. */
function refusing(
  verb: string,
  path: RegExp,
  error: () => Error,
  times = Number.POSITIVE_INFINITY,
): { layer: NonNullable<ClusterOptions["layer"]>; count(): number } {
  let refused = 0
  return {
    count: () => refused,
    layer: (inner) => (request) =>
      request.verb === verb && path.test(request.path) && refused < times && ++refused > 0 ? Promise.reject(error()) : inner(request),
  }
}

describe("a token Secret", () => {
  test("is filled, and the server knows whose token it is", async () => {
    await using running = await cluster(only)
    const { metadata } = await running.apply(robot)
    await running.apply(secret())
    await running.settled()
    const { data, metadata: filled } = await running.client.get(secrets, "default/t")
    expect(filled.annotations).toMatchObject({ "kubernetes.io/service-account.uid": metadata.uid })
    expect([text(data?.namespace), text(data?.["ca.crt"])]).toEqual(["default", "CA"])
    const [, payload = ""] = text(data?.token).split(".")
    expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toMatchObject({
      iss: "kubernetes/serviceaccount",
      sub: "system:serviceaccount:default:robot",
      "kubernetes.io/serviceaccount/secret.name": "t",
    })
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, spec: { token: text(data?.token) } }
    const answer = await running.apply(review)
    expect(answer).toMatchObject({ status: { authenticated: true, user: { username: "system:serviceaccount:default:robot" } } })
  })

  test("is restored when a client removes the CA or the token; another CA replaces the old one", async () => {
    await using running = await cluster(only)
    await running.apply(robot)
    await running.apply(secret())
    await running.settled()
    await running.client.patch(secrets, "default/t", {
      data: { token: null, "ca.crt": Buffer.from("old").toString("base64"), mine: "eA==" },
    })
    await running.settled()
    const { data } = await running.client.get(secrets, "default/t")
    expect(Object.keys(data ?? {}).sort()).toEqual(["ca.crt", "mine", "namespace", "token"])
    expect(text(data?.["ca.crt"])).toBe("CA")
  })

  test("of an account that does not exist goes; of one that is deleted too; and other Secrets stay", async () => {
    await using running = await cluster(only)
    await running.apply(robot)
    for (const one of [secret(), secret("orphan", "absent"), { ...secret("plain"), type: "Opaque" }]) await running.apply(one)
    await running.settled()
    expect(await names(running)).toEqual(["plain", "t"])
    await running.client.delete(serviceAccounts, "default/robot")
    await running.settled()
    expect(await names(running)).toEqual(["plain"])
  })

  test("goes with its account even if another of the name comes at once", async () => {
    await using running = await cluster(only)
    await running.apply(robot)
    await running.apply(secret())
    await running.settled()
    await running.client.delete(serviceAccounts, "default/robot")
    await running.apply(robot)
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("that is gone is taken out of the account's list; what else stands there stays", async () => {
    await using running = await cluster(only)
    await running.apply({ ...robot, secrets: [{ name: "t" }, { name: "pull" }] })
    await running.apply(secret())
    await running.settled()
    await running.client.delete(secrets, "default/t")
    await running.settled()
    expect(await references(running)).toEqual(["pull"])
  })

  test("is written once: nothing more happens in an hour", async () => {
    let writes = 0
    await using running = await cluster({
      ...only,
      layer: (inner) => (request) => inner(request.verb === "GET" ? request : (writes++, request)),
    })
    await running.apply(robot)
    await running.apply(secret())
    await running.advance("1h")
    expect(writes).toBe(1)
  })
})

describe("a token for every account", () => {
  test("is off unless it is asked for", async () => {
    await using running = await cluster(only)
    await running.apply(robot)
    await running.advance("1h")
    expect([await names(running), await references(running)]).toEqual([[], []])
  })

  test("has name, uid, token, namespace and CA, and stands in the account's list; an account that has one gets no second", async () => {
    await using running = await cluster(forAll)
    await running.apply(robot)
    await running.settled()
    const made = (await running.list(secrets, { namespace: "default" })).filter(({ metadata }) => metadata.name?.startsWith("robot-token-"))
    expect(made).toHaveLength(1)
    expect(Object.keys(made[0]?.data ?? {}).sort()).toEqual(["ca.crt", "namespace", "token"])
    expect(await references(running)).toEqual([made[0]?.metadata.name])
    await running.client.patch(serviceAccounts, "default/robot", { metadata: { labels: { touched: "yes" } } })
    await running.restartControllers()
    await running.advance("1h")
    expect((await names(running)).filter((name) => name?.startsWith("robot"))).toEqual([made[0]?.metadata.name])
  })

  test("is recreated when a client deletes it", async () => {
    await using running = await cluster(forAll)
    await running.apply(robot)
    await running.settled()
    const [before = ""] = await references(running)
    await running.client.delete(secrets, `default/${before}`)
    await running.advance("1m")
    const after = await references(running)
    expect(after).toHaveLength(1)
    expect(after).not.toEqual([before])
    expect(await names(running)).toContain(after[0])
  })

  test("updated serviceaccount with no secrets with resource conflict: the Secret goes again, and the next try succeeds", async () => {
    const { layer, count } = refusing("PUT", /serviceaccounts\/robot$/, () => conflict(serviceAccounts, "robot", "changed"), 1)
    await using running = await cluster({ ...forAll, layer })
    await running.apply(robot)
    await running.advance("1m")
    expect(count()).toBe(1)
    expect((await names(running)).filter((name) => name?.startsWith("robot"))).toEqual(await references(running))
    expect(await references(running)).toHaveLength(1)
  })

  test("a server that always refuses is left alone after ten tries, and nothing is left behind", async () => {
    const { layer, count } = refusing("PUT", /serviceaccounts\/robot$/, () => serviceUnavailable("no"))
    await using running = await cluster({ ...forAll, layer })
    await running.apply(robot)
    await running.advance("2h")
    expect(count()).toBeGreaterThan(5)
    expect(count()).toBeLessThanOrEqual(11)
    expect((await names(running)).filter((name) => name?.startsWith("robot"))).toEqual([])
  })

  test("none is made in a namespace that goes away, and none keeps it from going", async () => {
    await using running = await cluster({ ...forAll, controllers: ["serviceaccount-token", "serviceaccount", "namespace"] })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
    await running.settled()
    expect(await running.list(secrets, { namespace: "shop" })).toHaveLength(1)
    await running.client.delete(namespaces, "shop")
    await running.advance("5m")
    expect((await running.list(namespaces)).map(({ metadata }) => metadata.name)).not.toContain("shop")
    expect(await running.list(secrets, { namespace: "shop" })).toEqual([])
  })
})

test("a cache without the account deletes no token: the account is read from the API server", async () => {
  const layer: ClusterOptions["layer"] = (inner) => async (request) => {
    const response = await inner(request)
    if (!request.path.endsWith("/serviceaccounts") || response.body.type === "bytes") return response
    if (response.body.type === "stream") return { ...response, body: { ...response.body, frames: onlyBookmarks(response.body.frames) } }
    return { ...response, body: { ...response.body, value: { ...(response.body.value as object), items: [] } } }
  }
  await using running = await cluster({ ...only, layer })
  await running.apply(robot)
  await running.apply(secret())
  await running.advance("1m")
  expect(text((await running.client.get(secrets, "default/t")).data?.token)).toMatch(/^ey.*\..*\./)
})

async function* onlyBookmarks<T>(frames: AsyncIterable<T>): AsyncIterable<T> {
  for await (const frame of frames) {
    if ((frame as { readonly value?: { readonly type?: string } }).value?.type === "BOOKMARK") yield frame
  }
}

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: forAll,
      async run(running) {
        await running.apply(robot)
        await running.apply(secret())
        await running.apply(secret("orphan", "absent"))
        await running.advance("2m")
        const [made = ""] = await references(running)
        await running.client.delete(secrets, `default/${made}`)
        await running.advance("2m")
      },
      async end(running) {
        const all = await running.list(secrets, { namespace: "default" })
        const listed = await references(running)
        return all
          .map(({ metadata, data }) => ({
            name: metadata.name?.replace(/-token-.{5}$/, "-token-"),
            keys: Object.keys(data ?? {}).sort(),
            listed: listed.includes(metadata.name ?? ""),
            references: listed.length,
          }))
          .sort((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1))
      },
    },
    { sample: 10, seed: 8, writers: ["serviceaccount-token-controller"] },
  )
  expect(report.tried).toBe(10)
})
