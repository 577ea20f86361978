import { formatTime } from "@pilothouse/api"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { noNames } from "@pilothouse/api/x509"
import { expect, test } from "vitest"
import { requestKey, signingRequest, testAuthority } from "../certificates/testing/requests.ts"
import { decide } from "./controller.ts"

const now = Date.UTC(2026, 0, 10)
const [minute, hour] = [60_000, 3_600_000]

interface Row {
  /** Minutes since it was created. */
  readonly age?: number
  /** Minutes since each condition was updated. */
  readonly conditions?: Readonly<Record<string, number>>
  /** Minutes until the certificate ends, or another text. */
  readonly certificate?: number | string
}

function request({ age = 1, conditions = {}, certificate }: Row): CertificateSigningRequest {
  const ago = (minutes: number) => formatTime(now - minutes * minute)
  const made = signingRequest({ pem: "x", usages: [], signerName: "example.com/x" })
  const listed = Object.entries(conditions).map(([type, minutes]) => ({ type, status: "True", lastUpdateTime: ago(minutes) }))
  const text = typeof certificate === "number" ? signed(now + certificate * minute) : certificate
  const status = { conditions: listed, ...(text !== undefined && { certificate: Buffer.from(text).toString("base64") }) }
  return { ...made, metadata: { ...made.metadata, creationTimestamp: ago(age) }, status }
}

function signed(notAfter: number): string {
  const template = {
    subject: { commonName: "a", organizations: [] },
    names: noNames,
    usages: [],
    notBefore: now - hour,
    serialNumber: Uint8Array.of(1),
  }
  return testAuthority(notAfter).sign({ ...template, notAfter, publicKey: requestKey.publicKey.export({ type: "spki", format: "der" }) })
}

test.each<[name: string, row: Row, reason: string]>([
  ["issued two hours ago", { conditions: { Approved: 120 }, certificate: 600 }, "its certificate was issued an hour ago"],
  ["denied two hours ago", { conditions: { Denied: 120 } }, "it was denied an hour ago"],
  ["failed two hours ago", { conditions: { Approved: 120, Failed: 120 } }, "it failed an hour ago"],
  ["undecided for 25 hours", { age: 25 * 60 }, "it was not decided for a day"],
  ["approved and not signed for 25 hours", { conditions: { Approved: 25 * 60 } }, "it was approved and not signed for a day"],
  ["with a certificate that has expired", { conditions: { Approved: 50 }, certificate: -1 }, "its certificate has expired"],
  [
    "issued two hours ago, with what is no certificate",
    { conditions: { Approved: 120 }, certificate: "x" },
    "its certificate was issued an hour ago",
  ],
])("a request %s goes", (_name, row, reason) => {
  const operations = decide(request(row), now).steps.flatMap((step) => step.operations)
  expect(operations).toMatchObject([{ do: "delete", tolerate: ["NotFound", "Conflict"], reason }])
})

test.each<[name: string, row: Row, minutes: number | undefined]>([
  ["issued 50 minutes ago", { conditions: { Approved: 50 }, certificate: 600 }, 10],
  ["approved 50 minutes ago and not signed", { conditions: { Approved: 50 } }, 24 * 60 - 50],
  ["approved five hours ago and not signed", { conditions: { Approved: 300 } }, 19 * 60],
  ["denied 50 minutes ago", { conditions: { Denied: 50 } }, 10],
  ["failed 50 minutes ago", { conditions: { Approved: 120, Failed: 50 } }, 10],
  ["undecided for five hours", { age: 300 }, 19 * 60],
  ["with a certificate that ends soon", { conditions: { Approved: 1 }, certificate: 5 }, 5],
  ["with a condition that says nothing", { conditions: { Other: 1 } }, undefined],
])("a request %s stays, and is looked at when its time is over", (_name, row, minutes) => {
  const plan = decide(request(row), now)
  expect(plan.steps).toEqual([])
  expect(plan.requeue?.after).toBe(minutes === undefined ? undefined : minutes * minute + 1)
})
