import { expect, test } from "vitest"
import { anonymous, type Identity } from "../authentication/identity.ts"
import { type Attributes, type Authorizer, isResource } from "../authorization/authorizer.ts"
import { allowAuthenticated } from "../authorization/fixed-authorizers.ts"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"
import { certificateRequest } from "../validation/testing/certificate-requests.ts"
import { impersonate } from "./impersonate.ts"

const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

everyWay("acting for another", (testServer) => {
  async function whoAmI(headers: Record<string, string>, identity?: Identity): Promise<unknown> {
    const api = testServer()
    const ask = identity === undefined ? api.ask : api.as(identity)
    return objectIn(await ask("POST", reviews, { body: {}, headers }), 201).status?.userInfo
  }

  test.each<[what: string, headers: Record<string, string>, user: unknown]>([
    ["a user", { "impersonate-user": "bob" }, { username: "bob", groups: ["system:authenticated"] }],
    [
      "a user with everything",
      {
        "impersonate-user": "bob",
        "impersonate-uid": "77",
        "impersonate-group": "CN=dev,O=acme",
        "impersonate-extra-scopes": "a",
        "impersonate-extra-acme.com%2fproject": "p",
      },
      {
        username: "bob",
        uid: "77",
        groups: ["CN=dev,O=acme", "system:authenticated"],
        extra: { scopes: ["a"], "acme.com/project": ["p"] },
      },
    ],
    [
      "a service account",
      { "impersonate-user": "system:serviceaccount:default:a" },
      {
        username: "system:serviceaccount:default:a",
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
    ],
    [
      "a service account in other groups",
      { "impersonate-user": "system:serviceaccount:default:a", "impersonate-group": "dev" },
      { username: "system:serviceaccount:default:a", groups: ["dev", "system:authenticated"] },
    ],
    [
      "what is no service account's name",
      { "impersonate-user": "system:serviceaccount:default" },
      { username: "system:serviceaccount:default", groups: ["system:authenticated"] },
    ],
    ["a node", { "impersonate-user": "system:node:n" }, { username: "system:node:n", groups: ["system:nodes", "system:authenticated"] }],
    [
      "an administrator",
      { "impersonate-user": "bob", "impersonate-group": "system:masters" },
      { username: "bob", groups: ["system:masters", "system:authenticated"] },
    ],
    [
      "no user, with an empty name",
      { "impersonate-user": "" },
      { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
    ],
    [
      "with a key that cannot be decoded",
      { "impersonate-user": "bob", "impersonate-extra-%zz": "p" },
      { username: "bob", groups: ["system:authenticated"], extra: { "%zz": ["p"] } },
    ],
  ])("%s", async (_what, headers, user) => {
    expect(await whoAmI(headers)).toEqual(user)
  })

  test.each([
    [{ "impersonate-group": "dev" }, 'UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)}'],
    [{ "impersonate-uid": "1" }, 'UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)}'],
    [{ "impersonate-extra-b": "2", "impersonate-extra-a": "1" }, 'Extra:map[string][]string{"a":[]string{"1"}, "b":[]string{"2"}}}'],
  ])("%j without a name is a 400 in upstream's words", async (headers, words) => {
    const status = statusIn(await testServer().ask("GET", "/version", { headers }))
    expect(status).toMatchObject({ code: 400, reason: "BadRequest" })
    expect(status.message).toMatch(/^requested &user\.DefaultInfo\{Name:"", .* without impersonating a user name$/)
    expect(status.message).toContain(words)
  })

  test("an impersonated system:anonymous is in the group of unauthenticated users alone", async () => {
    const requestor = { name: "admin", groups: ["system:masters", "system:authenticated"] }
    const authorizer = { ...allowAuthenticated, authorize: () => ({ allowed: true }) }
    const what = { verb: "get", path: "/healthz" }
    const user = await impersonate(authorizer, { requestor, wanted: { name: "system:anonymous", groups: [] }, what })
    expect(user).toMatchObject({ name: "system:anonymous", groups: ["system:unauthenticated"] })
  })

  test("who is made unknown may do nothing", async () => {
    const api = testServer()
    const status = statusIn(await api.ask("POST", reviews, { body: {}, headers: { "impersonate-user": "system:anonymous" } }))
    expect(status).toMatchObject({ code: 403, message: expect.stringContaining('User "system:anonymous" cannot create resource') })
    const headers = { "impersonate-user": "bob", "impersonate-group": "system:unauthenticated" }
    expect(statusIn(await api.ask("POST", reviews, { body: {}, headers }))).toMatchObject({ code: 403 })
  })

  test("anonymous users impersonate no user, on public paths either", async () => {
    const answer = await testServer().as(anonymous)("GET", "/healthz", { headers: { "impersonate-user": "bob" } })
    expect(statusIn(answer)).toMatchObject({
      code: 403,
      message: 'forbidden: User "system:anonymous" cannot impersonate-on:user-info:get path "/healthz"',
    })
  })

  test("what is written is written by the other", async () => {
    const spec = { request: certificateRequest, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }
    const body = { metadata: { name: "a" }, spec }
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    const headers = { "impersonate-user": "bob" }
    expect(objectIn(await testServer().ask("POST", path, { body, headers }), 201).spec).toMatchObject({
      username: "bob",
      groups: ["system:authenticated"],
    })
  })
})

everyWay("an authorizer that lets some act for others", (testServer) => {
  /** Allows what a list names: "verb resource/subresource name". */
  function allowing(rights: readonly string[]) {
    const asked: string[] = []
    const authorizer: Authorizer = {
      authorize(who, what) {
        if (!what.verb.startsWith("impersonate")) return { allowed: true }
        asked.push(text(what))
        return { allowed: rights.includes(text(what)) && who.name === "ann" }
      },
      rules: allowAuthenticated.rules,
    }
    const identity = { name: "ann", groups: ["system:authenticated"] }
    return { ask: testServer({ authorizer }).as(identity), asked }
  }

  function text(what: Attributes): string {
    if (!isResource(what)) return `${what.verb} ${what.path}`
    const plural = [what.group, what.resource, what.subresource].filter((part) => part !== "").join("/")
    return [what.verb, plural, what.namespace, what.name].filter((part) => part !== "").join(" ")
  }

  const headers = { "impersonate-user": "bob", "impersonate-group": "dev", "impersonate-uid": "7", "impersonate-extra-a.io%2fb": "v" }
  const pods = "/api/v1/namespaces/default/pods"

  test("the oldest right is for whatever is done", async () => {
    const { ask, asked } = allowing(["impersonate users bob", "impersonate groups dev", oldUid, oldExtra])
    expect((await ask("GET", pods, { headers })).status).toBe(200)
    expect(asked).toEqual([
      "impersonate-on:user-info:list pods default",
      "impersonate users bob",
      oldUid,
      "impersonate groups dev",
      oldExtra,
    ])
  })

  const oldUid = "impersonate authentication.k8s.io/uids 7"
  const oldExtra = "impersonate authentication.k8s.io/userextras/a.io/b v"

  test("the newer rights are for one thing at a time", async () => {
    const on = "impersonate-on:user-info:list pods default"
    const be = ["users bob", "uids 7", "groups dev", "userextras/a.io/b v"].map(
      (what) => `impersonate:user-info authentication.k8s.io/${what}`,
    )
    expect((await allowing([on, ...be]).ask("GET", pods, { headers })).status).toBe(200)
    expect((await allowing([on, ...be]).ask("GET", `${pods}/p`, { headers })).status).toBe(403)
    expect((await allowing([on, ...be.slice(1)]).ask("GET", pods, { headers })).status).toBe(403)
  })

  test("the first refusal is the one that is said", async () => {
    const status = statusIn(await allowing([]).ask("GET", pods, { headers }))
    expect(status.message).toBe(
      'pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
    )
    const node = { "impersonate-user": "system:node:n", "impersonate-group": "dev" }
    expect(statusIn(await allowing([]).ask("GET", pods, { headers: node })).message).toBe(
      'users "system:node:n" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
  })

  test.each([
    ["system:masters", "impersonating the system:masters group is not allowed"],
    ["", "impersonating the empty string group is not allowed"],
  ])("no constrained impersonation makes a user a member of %j", async (group, reason) => {
    const rights = ["impersonate-on:user-info:list pods default", "impersonate:user-info authentication.k8s.io/users bob"]
    const asked = { "impersonate-user": "bob", "impersonate-group": group }
    const status = statusIn(await allowing(rights).ask("GET", pods, { headers: asked }))
    expect(status.message).toContain(`cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io"`)
    expect(status.message).toContain(reason)
  })

  test("a pod's account may be the node it runs on, whichever that is", async () => {
    const asked: string[] = []
    const authorizer: Authorizer = {
      authorize(who, what) {
        asked.push(`${text(what)} by ${JSON.stringify(who.extra)}`)
        return { allowed: !what.verb.startsWith("impersonate") || what.verb.includes("associated-node") }
      },
      rules: allowAuthenticated.rules,
    }
    const key = "authentication.kubernetes.io/node-name"
    const account = { name: "system:serviceaccount:default:a", groups: [], extra: { [key]: ["n"] } }
    const ask = testServer({ authorizer }).as(account)
    expect((await ask("GET", pods, { headers: { "impersonate-user": "system:node:n" } })).status).toBe(200)
    const by = `by {"authentication.kubernetes.io/associated-node-keys":["${key}"]}`
    expect(asked.slice(0, 2)).toEqual([
      `impersonate-on:associated-node:list pods default ${by}`,
      `impersonate:associated-node authentication.k8s.io/nodes * ${by}`,
    ])
    expect((await ask("GET", pods, { headers: { "impersonate-user": "system:node:other" } })).status).toBe(403)
  })
})
