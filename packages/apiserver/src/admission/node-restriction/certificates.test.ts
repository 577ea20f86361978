import { create, type Row, testWrites, update } from "./testing/writes-of-nodes.ts"

const certificateRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHvMIGWAgEAMDQxFTATBgNVBAoMDHN5c3RlbTpub2RlczEbMBkGA1UEAwwSc3lz
dGVtOm5vZGU6bXlub2RlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/ADGHY5M
yNwlNGq3KyA+gXduhnXV1YZ0EWHPi5QuVrWcVWn+4pg7c6SWrWGFfZJxJYGvmcvK
GArQ6XuZBPIMCKAAMAoGCCqGSM49BAMCA0gAMEUCIQCGk4N18UpAveIVpRXNZnIJ
s4R8BJTRJg2YvulGq6afpAIgRIIOMF9ZrY7mRKeX6suMqJ6ZFPTJ9snNYe3T0fnG
Nw8=
-----END CERTIFICATE REQUEST-----
`
const emptyRequest = "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----"
const signing = (signer: string, request = certificateRequest) => ({
  metadata: { name: "csr" },
  spec: { signerName: `kubernetes.io/${signer}`, request: Buffer.from(request).toString("base64") },
})
const requests = "certificatesigningrequests"
const onOther = { user: "system:node:othernode" }
const notItsName = "can only create a node CSR with CN=system:node:othernode"
const certificateRows: readonly Row[] = [
  ["a request for the certificate that it serves with", create(requests, signing("kubelet-serving"))],
  ["a request for its client certificate", create(requests, signing("kube-apiserver-client-kubelet"))],
  ["a serving certificate of another node", create(requests, signing("kubelet-serving"), onOther), notItsName],
  ["a client certificate of another node", create(requests, signing("kube-apiserver-client-kubelet"), onOther), notItsName],
  ["another node's name for a signer that signs for no nodes", create(requests, signing("kube-apiserver-client"), onOther)],
  [
    "a request that cannot be read",
    create(requests, signing("kubelet-serving", emptyRequest)),
    "unable to parse csr: asn1: syntax error: sequence truncated",
  ],
  ["an update of another node's request", update(requests, signing("kubelet-serving"), signing("kubelet-serving"), onOther)],
]

testWrites(certificateRows)
