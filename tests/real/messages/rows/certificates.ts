import { at, patch, post, type Row } from "../row.ts"

/** Requests that openssl has made, each signed with a key of its own; the keys are gone. */
const ecdsa = `-----BEGIN CERTIFICATE REQUEST-----
MIHRMHoCAQAwGDEKMAgGA1UEAwwBdTEKMAgGA1UECgwBZzBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABHsRUzBpWgxdiZqoW8xLVJn3l8L5zh/obJsSuSCLJgYYgcpt
65PtlLlfSNTFIqKXMJdBSjaytXX0HwsspWPnFvCgADAKBggqhkjOPQQDAgNHADBE
AiBDiqUqrpi6vHMTHyNzKZs9+e35m8e1g+Ya1SGfWINKWgIgeyClERU6DT27B9io
WdnmgO2nkn6jv4dtNpsIL+fnxcM=
-----END CERTIFICATE REQUEST-----
`
const rsa = `-----BEGIN CERTIFICATE REQUEST-----
MIICXTCCAUUCAQAwGDEKMAgGA1UEAwwBdTEKMAgGA1UECgwBZzCCASIwDQYJKoZI
hvcNAQEBBQADggEPADCCAQoCggEBALgFRsFOojQgIuguLhH6J0sHRy5rGGjfPECJ
dEz1zzwrYbmkprsBJIJfgJJIP8ShKZAfG228+aTALdoIQBwXg5Tyj9X5eRfX997U
Li23chzLNTYgXjZaTiKUPFPmD37Vr2oI6rAs/2Ug8Q+8MiIl8R2extzG6c6KeJlP
2cl7Ynp0tI9GdiYY+xMebQaX9+r3HtNUIt2r/jVnHWei3daK/5lp1cUulrnJKT2k
S92TsllMsz3ag7/s2M1x+XIRavudWjI7ZSAeP/tJoqK+jHa0PdgSrQmeiv/TkePZ
kh8WYzADWWn1BcezQ6X6c8CuTyD6KH8YJXJ+KyiedvFUJaWPQMMCAwEAAaAAMA0G
CSqGSIb3DQEBCwUAA4IBAQBdFAJGN2ec8pVysGkzcLjFbkAG8YBVNkGVxlfKHmWa
pJ4+yv8EDKq552uJOqV/SHVnd0YtxuPkbmJ8SsW+22iep10wjkbXIQdX2y6K4xwZ
zX0zL06PaLmC+tB+jknKeoNcGJkUuqtZIT2Uueh34L0z/8YYTGAlRMhaOdZkpvnx
mwziTHeivrfga3ip7jCNj23ptkq08t+6gV8j4veJAlWd5RIHhPJOgFis3KwQU1Rr
hfvIH5ZskcXdFB3RKda4mUITP3xbp+ccGqlqFbpD94av8nact0IgTCQCQ/4Rbfa/
jtMBOY/Kd2z2Kxw7NqX5MYyTMfvNFEh7P9LDgKQcs9j8
-----END CERTIFICATE REQUEST-----
`
const ed25519 = `-----BEGIN CERTIFICATE REQUEST-----
MIGLMD8CAQAwDDEKMAgGA1UEAwwBdTAqMAUGAytlcAMhAH2rKa2eqhGmhWFTwxJR
KaJeyizm+wm/RV4o//p3/lQToAAwBQYDK2VwA0EApZnhm9Tmu2/DKUSDbrZUIbrS
oLg1iFEBqiPWwQGRleMlDR6tqqRHQesGA/EVPBIvP3d7FHOi4fXfwYa9lAstCg==
-----END CERTIFICATE REQUEST-----
`

const requests = at("certificates/certificatesigningrequests")
const spec = { signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }

function asking(name: string, pem: string, part: object = {}): Row {
  const request = Buffer.from(pem).toString("base64")
  return post(name, requests, { metadata: { name: "bad" }, spec: { ...spec, request, ...part } }, { query: { dryRun: "All" } })
}

const derOf = (pem: string) => Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ""), "base64")
const pemOf = (der: Buffer, type = "CERTIFICATE REQUEST") => `-----BEGIN ${type}-----\n${der.toString("base64")}\n-----END ${type}-----\n`

/** With one bit turned, that many bytes from the end. */
function turned(pem: string, fromEnd: number): string {
  const der = derOf(pem)
  der[der.length - fromEnd]! ^= 1
  return pemOf(der)
}

/** Requests for certificates: who signs must have the key. */
export const certificates: readonly Row[] = [
  asking("a request", ecdsa),
  asking("a request with RSA", rsa),
  asking("a request with Ed25519", ed25519),
  asking("a request with text before it", `hello\n${ecdsa}`),
  asking("a request with a turned bit, ECDSA", turned(ecdsa, 3)),
  asking("a request with a turned bit, RSA", turned(rsa, 3)),
  asking("a request with a turned bit, Ed25519", turned(ed25519, 3)),
  asking("a request of another name than was signed", ecdsa.replace("MAgGA1UEAwwBdT", "MAgGA1UEAwwBdj")),
  asking("a request that is cut", pemOf(derOf(ecdsa).subarray(0, 60))),
  asking("a request of three bytes", pemOf(Buffer.of(0x30, 0x82, 1))),
  asking("a request with something behind it", pemOf(Buffer.concat([derOf(ecdsa), Buffer.of(0, 0)]))),
  asking("a certificate instead of a request", pemOf(derOf(ecdsa), "CERTIFICATE")),
  asking("a request that is none", "hi"),
  asking("a request for an unknown usage", ecdsa, { usages: ["anything"] }),
  asking("a request for a usage twice", ecdsa, { usages: ["client auth", "client auth"] }),
  asking("a request for no usage", ecdsa, { usages: [] }),
  asking("a request for five minutes", ecdsa, { expirationSeconds: 300 }),
]

const completed = (indexes: string): Row =>
  patch(
    `completed indexes ${indexes}`,
    at("batch/jobs", "indexed", "status"),
    "merge",
    { status: { completedIndexes: indexes } },
    { query: { dryRun: "All" } },
  )

/** What a Job says of its indexes. */
export const indexes: readonly Row[] = [
  post("an indexed Job to work with", at("batch/jobs"), {
    metadata: { name: "indexed" },
    spec: {
      completionMode: "Indexed",
      completions: 5,
      parallelism: 2,
      backoffLimitPerIndex: 1,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
    },
  }),
  ...["0", "0,2-4", "5", "1,0", "0-", "-1", "a", "0,,2", "0-9", "2-1", "1-1", " 0", "01", "0-2-3", "1,1", "3-4,1", ","].map(completed),
  patch(
    "an index that is done and failed",
    at("batch/jobs", "indexed", "status"),
    "merge",
    { status: { completedIndexes: "0,2-3", failedIndexes: "1,3-4" } },
    { query: { dryRun: "All" } },
  ),
  patch(
    "failed indexes that are none",
    at("batch/jobs", "indexed", "status"),
    "merge",
    { status: { failedIndexes: "x" } },
    { query: { dryRun: "All" } },
  ),
]
