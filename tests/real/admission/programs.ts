import type { Answer, Program } from "./webhook-server.ts"

/** A JSON patch of these operations. */
export function patch(...operations: readonly object[]): Answer {
  return { response: { allowed: true, patchType: "JSONPatch", patch: base64(JSON.stringify(operations)) } }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}

const allowed = { response: { allowed: true } }
const denied = (status?: object): Answer => ({ response: { allowed: false, ...(status && { status }) } })
const labels = { op: "add", path: "/metadata/labels", value: {} }
const label = (name: string, value = "yes") => ({ op: "add", path: `/metadata/labels/${name}`, value })
const review = (response: object, more: object = {}): Answer => ({ response: { allowed: true, ...response }, review: more })
const raw = (body: string, status = 200, contentType = "application/json"): Answer => ({
  body,
  status,
  headers: { "content-type": contentType },
})
const patchText = (text: string, more: object = {}) => review({ patchType: "JSONPatch", patch: base64(text), ...more })

/** Answers that both types of webhooks may give, by the name of the program. */
export const answers: Readonly<Record<string, Answer>> = {
  allow: allowed,
  deny: denied(),
  "deny-message": denied({ message: "no" }),
  "deny-reason": denied({ reason: "Because" }),
  "deny-code": denied({ code: 418, message: "teapot" }),
  "deny-200": denied({ code: 200, message: "fine" }),
  "deny-success": denied({ status: "Success", message: "fine", code: 403, reason: "Forbidden" }),
  "deny-details": denied({
    code: 422,
    reason: "Invalid",
    message: "wrong",
    details: { name: "x", kind: "Y", causes: [{ reason: "FieldValueInvalid", message: "bad", field: "data.a" }], retryAfterSeconds: 3 },
  }),
  "deny-602": denied({ code: 602, message: "strange" }),
  "deny-lines": denied({ message: 'two\nlines "quoted"' }),
  warn: review({ warnings: ["first", 'second "quoted"', "first"] }),
  "warn-deny": { response: { allowed: false, warnings: ["think"], status: { message: "no" } } },
  "audit-annotations": review({ auditAnnotations: { a: "b" } }),
  "wrong-uid": review({ uid: "other" }),
  "no-uid": review({ uid: undefined }),
  "no-response": raw('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'),
  "null-response": raw('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":null}'),
  "no-kind": review({}, { kind: undefined, apiVersion: undefined }),
  "empty-object": raw("{}"),
  "empty-body": raw(""),
  garbage: raw("hello"),
  "broken-json": raw('{"a":'),
  "json-list": raw("[]"),
  "json-null": raw("null"),
  "html-500": raw("<html>boom</html>", 500, "text/html"),
  "json-500": raw('{"error":"boom"}', 500),
  "text-400": raw("bad", 400, "text/plain"),
  "text-404": raw("404 page not found", 404, "text/plain"),
  "text-403": raw("go away", 403, "text/plain"),
  "text-401": raw("who", 401, "text/plain"),
  "text-409": raw("conflict", 409, "text/plain"),
  "text-422": raw("invalid", 422, "text/plain"),
  "text-503": raw("later", 503, "text/plain"),
  "text-504": raw("slow", 504, "text/plain"),
  "status-403": raw('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not you","reason":"Forbidden","code":403}', 403),
  "plain-text-type": raw('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', 200, "text/plain"),
  hang: "hang",
  "hang-up": "hang up",
}

/** Answers with a patch. */
export const patches: Readonly<Record<string, Answer>> = {
  "patch-label": patch(labels, label("a")),
  "patch-data": patch({ op: "add", path: "/data/added", value: "1" }),
  "patch-replace": patch({ op: "replace", path: "/data/a", value: "replaced" }),
  "patch-remove": patch({ op: "remove", path: "/data/a" }),
  "patch-copy": patch({ op: "copy", from: "/data/a", path: "/data/b" }),
  "patch-move": patch({ op: "move", from: "/data/a", path: "/data/b" }),
  "patch-test": patch({ op: "test", path: "/data/a", value: "b" }, { op: "add", path: "/data/tested", value: "1" }),
  "patch-same": patch({ op: "replace", path: "/data/a", value: "b" }),
  "patch-none": patch(),
  "patch-null": patchText("null"),
  "patch-test-fails": patch({ op: "test", path: "/data/a", value: "other" }),
  "patch-remove-missing": patch({ op: "remove", path: "/data/missing" }),
  "patch-replace-missing": patch({ op: "replace", path: "/data/missing", value: "x" }),
  "patch-add-deep": patch({ op: "add", path: "/x/y/z", value: 1 }),
  "patch-unknown-op": patch({ op: "explode", path: "/data/a" }),
  "patch-type-mismatch": patch({ op: "add", path: "/data/a", value: 7 }),
  "patch-unknown-field": patch({ op: "add", path: "/unknown", value: 7 }),
  "patch-no-json": patchText("foo"),
  "patch-object": patchText('{"op":"add"}'),
  "patch-without-type": review({ patch: base64("[]") }),
  "type-without-patch": review({ patchType: "JSONPatch" }),
  "patch-other-type": patchText("[]", { patchType: "MergePatch" }),
  "patch-other-type-used": patchText('[{"op":"add","path":"/data/x","value":"1"}]', { patchType: "MergePatch" }),
  "patch-empty-type": patchText("[]", { patchType: "" }),
  "patch-managers-broken": patch({ op: "replace", path: "/metadata/managedFields/0/fieldsType", value: "Old" }),
  "patch-managers-gone": patch({ op: "remove", path: "/metadata/managedFields" }),
  "patch-name": patch({ op: "replace", path: "/metadata/name", value: "other" }),
  "patch-finalizer": patch({ op: "add", path: "/metadata/finalizers", value: ["example.com/f"] }),
  "patch-owners": patch({
    op: "add",
    path: "/metadata/ownerReferences",
    value: [1, 2].map(() => ({ apiVersion: "v1", kind: "Node", name: "n", uid: "u" })),
  }),
  "patch-invalid": patch({ op: "add", path: "/data/bad key", value: "x" }),
  "patch-deny": { response: { allowed: false, patchType: "JSONPatch", patch: base64("[]"), status: { message: "no" } } },
}

/** Programs that decide by what they are sent, or by how often. */
export const deciding: Readonly<Record<string, Program>> = {
  "label-a": (sent) => withLabel(sent.request.object, "a"),
  "label-b": (sent) => withLabel(sent.request.object, "b"),
  "count-calls": (sent, call) => withLabel(sent.request.object, `call-${call}`),
  "changes-once": (sent, call) => (call === 0 ? withLabel(sent.request.object, "once") : allowed),
  "undo-a": (sent) =>
    (sent.request.object as Labelled)?.metadata.labels?.a === undefined ? allowed : patch({ op: "remove", path: "/metadata/labels/a" }),
  "deny-deletes": ({ request }) => (request.operation === "DELETE" ? denied({ message: "it stays" }) : allowed),
  "patch-deletes": ({ request }) => (request.operation === "DELETE" ? patch(labels) : allowed),
}

interface Labelled {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> }
}

function withLabel(object: unknown, name: string): Answer {
  const has = (object as Labelled | null)?.metadata.labels !== undefined
  return patch(...(has ? [] : [labels]), label(name))
}

/** Every program by its name. */
export function allPrograms(): ReadonlyMap<string, Program> {
  const fixed = Object.entries({ ...answers, ...patches }).map(([name, answer]): [string, Program] => [name, () => answer])
  return new Map([...fixed, ...Object.entries(deciding)])
}
