import { createPrivateKey, sign } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { Group } from "../tally.ts"
import { compare, type Side, send } from "./side.ts"

const core = "/api/v1/namespaces/default"
/** The real server remembers for ten seconds whose a token is. */
const remembered = 11_000

const object = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: "v1", kind, name } })
const specs: Readonly<Record<string, object>> = {
  "of no object": {},
  "of a Secret": object("Secret", "s"),
  "of a Node": object("Node", "n"),
  "of a pod for an hour and seven seconds": { ...object("Pod", "p"), expirationSeconds: 3607 },
  "of a pod for an hour": { ...object("Pod", "p"), expirationSeconds: 3600 },
  "of a pod without a version": { boundObjectRef: { kind: "Pod", name: "p" } },
  "for others": { audiences: ["x", "y"] },
  "of a ConfigMap": object("ConfigMap", "c"),
  "of another group": { boundObjectRef: { apiVersion: "apps/v1", kind: "Pod", name: "p" } },
  "of a pod that is not there": object("Pod", "none"),
  "of a pod with another UID": { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p", uid: "no" } },
  "of a pod of another account": object("Pod", "q"),
  "that is too short": { expirationSeconds: 10 },
  "that is too long": { expirationSeconds: 2 ** 33 },
}
const names: Readonly<Record<string, object>> = {
  "another name": { name: "b" },
  "another UID": { uid: "b" },
  "another namespace": { namespace: "b" },
}

interface Answered {
  readonly status?: { readonly token?: string }
}

/** Requests tokens, and compares their claims, what reviews say of them and of forged ones, and that they end with their objects. */
export async function compareTokens(group: Group, sides: readonly Side[]): Promise<void> {
  await Promise.all(sides.map(prepare))
  for (const [name, spec] of Object.entries(specs)) await compare(group, sides, `a token ${name}`, (side) => requested(side, spec))
  for (const [name, metadata] of Object.entries(names))
    await compare(group, sides, `a token of ${name}`, (side) => requested(side, {}, metadata))
  await compareReviews(group, sides)
  await compareForged(group, sides)
  await compareEnds(group, sides)
}

async function prepare(side: Side): Promise<void> {
  const pod = (name: string, serviceAccountName: string) => ({
    metadata: { name },
    spec: { serviceAccountName, nodeName: "gone", containers: [{ name: "c", image: "i" }] },
  })
  for (const name of ["a", "b"]) await send(side, "POST", `${core}/serviceaccounts`, { metadata: { name } })
  await send(side, "POST", `${core}/secrets`, { metadata: { name: "s" } })
  await send(side, "POST", "/api/v1/nodes", { metadata: { name: "n" } })
  await send(side, "POST", `${core}/pods`, pod("p", "a"))
  await send(side, "POST", `${core}/pods`, pod("q", "b"))
  const data = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:z,system:bootstrappers:a",
  }
  const secret = { metadata: { name: "bootstrap-token-abcdef" }, type: "bootstrap.kubernetes.io/token", stringData: data }
  await send(side, "POST", "/api/v1/namespaces/kube-system/secrets", secret)
  // Until the informers of the real server have them.
  await delay(1500)
}

async function requested(side: Side, spec: object, metadata: object = {}): Promise<unknown> {
  const { status, value } = await send(side, "POST", `${core}/serviceaccounts/a/token`, { metadata, spec })
  const { token } = (value as Answered).status ?? {}
  if (token === undefined) return { status, value }
  const { iat, nbf, exp, "kubernetes.io": bound, ...claims } = claimsOf(token)
  const { warnafter, ...others } = bound as { readonly warnafter?: number }
  const life = { life: Number(exp) - Number(iat), from: Number(nbf) - Number(iat), warn: warnafter && warnafter - Number(iat) }
  return { status, value, claims: { ...claims, bound: others }, life, names: Object.keys(bound as object) }
}

async function tokenOf(side: Side, spec: object = {}): Promise<string> {
  const { value } = await send(side, "POST", `${core}/serviceaccounts/a/token`, { spec })
  return (value as Answered).status?.token ?? ""
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString())
}

async function reviewed(side: Side, token: string, audiences?: readonly string[]): Promise<unknown> {
  const spec = { token, ...(audiences && { audiences }) }
  return (await send(side, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec })).value
}

async function compareReviews(group: Group, sides: readonly Side[]): Promise<void> {
  const status = async (side: Side, token: string, audiences?: readonly string[]) => {
    const { status: said, message } = (await reviewed(side, token, audiences)) as { readonly status: unknown; readonly message?: string }
    return { said, message }
  }
  for (const [name, spec] of Object.entries(specs).slice(0, 5)) {
    await compare(group, sides, `a review of one ${name}`, async (side) => status(side, await tokenOf(side, spec)))
  }
  for (const audiences of [undefined, ["x", "z"], ["z"], ["https://kubernetes.default.svc", "y"]]) {
    const title = `a review for ${audiences} of a token for others`
    await compare(group, sides, title, async (side) => status(side, await tokenOf(side, { audiences: ["x", "y"] }), audiences))
  }
  for (const token of [
    "garbage",
    "a.b.c",
    "",
    "admin-token",
    "abcdef.0123456789abcdef",
    "abcdef.0123456789abcdee",
    "bbbbbb.0123456789abcdef",
  ]) {
    await compare(group, sides, `a review of "${token}"`, (side) => status(side, token))
    await compare(group, sides, `a review of "${token}" for x`, (side) => status(side, token, ["x"]))
  }
  await compare(group, sides, "a changed signature", async (side) => status(side, `${(await tokenOf(side)).slice(0, -4)}AAAA`))
}

async function compareForged(group: Group, sides: readonly Side[]): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const of = (changed: object) => (bound: object) => ({ "kubernetes.io": { ...bound, ...changed } })
  const rows: Readonly<Record<string, (bound: object) => object>> = {
    "expired a while ago": () => ({ exp: now - 100 }),
    "expired a moment ago": () => ({ exp: now - 5 }),
    "not valid yet": () => ({ nbf: now + 100 }),
    "issued in the future": () => ({ iat: now + 100 }),
    "another issuer": () => ({ iss: "other" }),
    "another account": of({ serviceaccount: { name: "a", uid: "z" } }),
    "an account that is not there": of({ serviceaccount: { name: "zz", uid: "z" } }),
    "another pod": of({ pod: { name: "p", uid: "z" } }),
    "another node": of({ node: { name: "n", uid: "z" } }),
    "another Secret": of({ secret: { name: "s", uid: "z" } }),
    "a warning that is past": of({ warnafter: now - 100 }),
    "a legacy token without claims": () => ({ iss: "kubernetes/serviceaccount" }),
  }
  for (const [name, change] of Object.entries(rows)) {
    await compare(group, sides, `a token: ${name}`, async (side) => {
      const token = await tokenOf(side)
      const claims = claimsOf(token)
      const text = `${token.split(".")[0]}.${Buffer.from(JSON.stringify({ ...claims, ...change(claims["kubernetes.io"] as object) })).toString("base64url")}`
      const signature = sign("sha256", Buffer.from(text), { key: createPrivateKey(side.key), dsaEncoding: "ieee-p1363" })
      const review = (await reviewed(side, `${text}.${signature.toString("base64url")}`)) as { readonly status: unknown }
      return review.status
    })
  }
}

async function compareEnds(group: Group, sides: readonly Side[]): Promise<void> {
  const bound = ["of a Secret", "of a Node", "of a pod for an hour", "of no object"]
  const tokens = await Promise.all(sides.map((side) => Promise.all(bound.map((name) => tokenOf(side, specs[name])))))
  const paths = [`${core}/secrets/s`, "/api/v1/nodes/n", `${core}/pods/p`, `${core}/serviceaccounts/a`]
  for (const side of sides) for (const path of paths) await send(side, "DELETE", path, { gracePeriodSeconds: 0 })
  await delay(remembered)
  for (const [index, name] of bound.entries()) {
    await compare(group, sides, `a token ${name} that is gone`, async (side) => {
      const review = (await reviewed(side, tokens[sides.indexOf(side)]![index]!)) as { readonly status: unknown }
      return review.status
    })
  }
}
