import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Answer, startWebhookServer, type WebhookServer } from "../admission/webhook-server.ts"
import type { Group } from "../tally.ts"
import { compare, type Side, send } from "./side.ts"

interface Reviewed {
  readonly apiVersion: string
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] }
}

const jane = { username: "jane", uid: "7", groups: ["dev"], extra: { "example.com/scope": ["a", "b"] } }

/** What the webhook answers, by token; `call` counts the reviews of this token from 0. */
const statuses: Readonly<Record<string, (review: Reviewed, call: number) => object | Answer>> = {
  good: () => ({ authenticated: true, user: jane }),
  "for-audiences": ({ spec }) => ({ authenticated: true, user: jane, audiences: [...(spec.audiences ?? []), "more"] }),
  "for-others": () => ({ authenticated: true, user: jane, audiences: ["others"] }),
  anonymous: () => ({ authenticated: true, user: { username: "system:anonymous", groups: ["system:unauthenticated"] } }),
  admin: () => ({ authenticated: true, user: { username: "x", groups: ["system:masters", "system:authenticated"] } }),
  unknown: () => ({ authenticated: false }),
  expired: () => ({ authenticated: false, error: "the token has expired" }),
  "with-error": () => ({ authenticated: true, user: jane, error: "strange" }),
  refused: () => status(403, "no one may ask"),
  "broken-once": (_review, call) => (call === 0 ? status(500, "for a moment") : { authenticated: true, user: jane }),
  "of-a-text": () => ({ authenticated: "true", user: jane }),
}

/** Tokens whose errors name what Go's decoder says; only whether they are good is compared. */
const untold = new Set(["refused", "of-a-text"])

function status(code: number, message: string): Answer {
  return { status: code, body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message }) }
}

/** A webhook for both sides, and the kubeconfig of each. */
export interface TokenWebhooks extends AsyncDisposable {
  kubeconfig(side: "real" | "ours"): string
  readonly server: WebhookServer
}

export async function startTokenWebhooks(): Promise<TokenWebhooks> {
  await using starting = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-token-webhook-"))
  starting.defer(() => rmSync(directory, { recursive: true, force: true }))
  const calls = new Map<string, number>()
  const server = starting.use(
    await startWebhookServer(new Map(["real", "ours"].map((side) => [side, (review) => answer(side, review, calls)]))),
  )
  const running = starting.move()
  return {
    server,
    kubeconfig(side) {
      const path = join(directory, `${side}.kubeconfig`)
      const cluster = {
        server: `https://127.0.0.1:${server.port}/${side}`,
        "certificate-authority-data": Buffer.from(server.ca).toString("base64"),
      }
      const context = { cluster: "w", user: "w" }
      const named = { clusters: [{ name: "w", cluster }], users: [{ name: "w", user: {} }], contexts: [{ name: "w", context }] }
      writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "Config", ...named, "current-context": "w" }))
      return path
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function answer(side: string, received: unknown, calls: Map<string, number>): Answer {
  const review = received as Reviewed
  const { token } = review.spec
  const key = `${side} ${token}`
  const call = calls.get(key) ?? 0
  calls.set(key, call + 1)
  const made = (statuses[token] ?? statuses.unknown!)(review, call)
  if (typeof made === "string" || "body" in made) return made as Answer
  return { body: JSON.stringify({ apiVersion: review.apiVersion, kind: "TokenReview", status: made }) }
}

/** Who tokens of the webhook are, what reviews say of them, and how often it is asked. */
export async function compareTokenWebhook(group: Group, sides: readonly Side[], webhooks: TokenWebhooks): Promise<void> {
  const names = ["real", "ours"] as const
  const asked = (side: Side) => webhooks.server.reviews(`/${names[sides.indexOf(side)]}`) as unknown as readonly Reviewed[]
  for (const token of [...Object.keys(statuses), "eyJhbGciOiJSUzI1NiJ9.e30.x"]) {
    await compare(group, sides, `whose the token "${token}" of a webhook is`, async (side) => whoIs(side, token))
    await compare(group, sides, `a review of the token "${token}" of a webhook`, async (side) => {
      const reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
      const { status, value } = await send(side, "POST", reviews, { spec: { token } })
      const { error, ...rest } = (value as { readonly status?: { readonly error?: string } }).status ?? {}
      return { status, rest, error: untold.has(token) ? error !== undefined : error }
    })
    await compare(group, sides, `a review of the token "${token}" of a webhook for others`, async (side) => {
      const reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
      const { value } = await send(side, "POST", reviews, { spec: { token, audiences: ["others", "x"] } })
      const { error, ...rest } = (value as { readonly status?: { readonly error?: string } }).status ?? {}
      return { rest, error: error !== undefined }
    })
  }
  // What is not kept is asked again by as many requests as there are: only tokens whose answers are kept are counted.
  for (const token of ["good", "for-others", "unknown"]) {
    await compare(group, sides, `how often the webhook was asked about "${token}", and what`, async (side) =>
      asked(side).filter(({ spec }) => spec.token === token),
    )
  }
}

async function whoIs(side: Side, token: string): Promise<unknown> {
  const client = side.client.withToken(token)
  try {
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    const { status, value } = await client.send({ verb: "POST", path, body: {} })
    return { status, value }
  } finally {
    client.close()
  }
}
