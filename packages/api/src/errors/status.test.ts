import { isRetryable, PilothouseError } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { fieldError } from "./field-error.ts"
import { isStatus, type Status, StatusError, statusOf, successStatus } from "./status.ts"
import * as failures from "./status-failures.ts"
import * as is from "./status-predicates.ts"
import { unexpectedResponse } from "./unexpected-response.ts"

const pods = { group: "", plural: "pods", kind: "Pod" }
const deployments = { group: "apps", plural: "deployments", kind: "Deployment" }

describe("failures in the words of kube-apiserver", () => {
  test.each<[string, StatusError, Partial<Status>]>([
    [
      "not found",
      failures.notFound(pods, "zzz"),
      { message: 'pods "zzz" not found', reason: "NotFound", code: 404, details: { name: "zzz", kind: "pods" } },
    ],
    [
      "not found in a group",
      failures.notFound(deployments, "web"),
      {
        message: 'deployments.apps "web" not found',
        reason: "NotFound",
        code: 404,
        details: { name: "web", group: "apps", kind: "deployments" },
      },
    ],
    [
      "already exists",
      failures.alreadyExists(pods, "a1"),
      { message: 'pods "a1" already exists', reason: "AlreadyExists", code: 409, details: { name: "a1", kind: "pods" } },
    ],
    [
      "exists and is being deleted",
      failures.alreadyExists(pods, "a1", { terminating: true }),
      {
        message: 'object is being deleted: pods "a1" already exists',
        reason: "AlreadyExists",
        code: 409,
        details: { name: "a1", kind: "pods" },
      },
    ],
    [
      "no generated name is free",
      failures.generateNameConflict(pods, "a-x", 1),
      {
        message: 'pods "a-x" already exists, the server was not able to generate a unique name for the object',
        reason: "AlreadyExists",
        code: 409,
        details: { name: "a-x", kind: "pods", retryAfterSeconds: 1 },
      },
    ],
    [
      "conflict",
      failures.conflict(deployments, "web"),
      {
        message:
          'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
        reason: "Conflict",
        code: 409,
        details: { name: "web", group: "apps", kind: "deployments" },
      },
    ],
    [
      "another conflict",
      failures.conflict(pods, "a", "Precondition failed: UID in precondition: x, UID in object meta: y"),
      {
        message: 'Operation cannot be fulfilled on pods "a": Precondition failed: UID in precondition: x, UID in object meta: y',
        reason: "Conflict",
        code: 409,
        details: { name: "a", kind: "pods" },
      },
    ],
    [
      "fields of others",
      failures.applyConflict(
        [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".spec" }],
        "Apply failed with 1 conflict",
      ),
      {
        message: "Apply failed with 1 conflict",
        reason: "Conflict",
        code: 409,
        details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".spec" }] },
      },
    ],
    [
      "one field is invalid",
      failures.invalid(deployments, "web", [fieldError.required("spec.selector")]),
      {
        message: 'Deployment.apps "web" is invalid: spec.selector: Required value',
        reason: "Invalid",
        code: 422,
        details: {
          name: "web",
          group: "apps",
          kind: "Deployment",
          causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.selector" }],
        },
      },
    ],
    ["bad request", failures.badRequest("no"), { message: "no", reason: "BadRequest", code: 400 }],
    ["unauthorized", failures.unauthorized(), { message: "Unauthorized", reason: "Unauthorized", code: 401 }],
    [
      "forbidden list",
      failures.forbidden(pods, "", 'User "u" cannot list resource "pods" in API group "" at the cluster scope'),
      {
        message: 'pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope',
        reason: "Forbidden",
        code: 403,
        details: { kind: "pods" },
      },
    ],
    [
      "forbidden object",
      failures.forbidden(deployments, "web", "no"),
      {
        message: 'deployments.apps "web" is forbidden: no',
        reason: "Forbidden",
        code: 403,
        details: { name: "web", group: "apps", kind: "deployments" },
      },
    ],
    ["forbidden path", failures.forbidden(undefined, "", "no"), { message: "forbidden: no", reason: "Forbidden", code: 403, details: {} }],
    [
      "method not allowed",
      failures.methodNotAllowed(deployments, "create"),
      {
        message: 'create is not supported on resources of kind "deployments.apps"',
        reason: "MethodNotAllowed",
        code: 405,
        details: { group: "apps", kind: "deployments" },
      },
    ],
    [
      "not acceptable",
      failures.notAcceptable(["application/json", "application/yaml"]),
      { message: "only the following media types are accepted: application/json, application/yaml", reason: "NotAcceptable", code: 406 },
    ],
    [
      "not acceptable as a table",
      failures.notAcceptable(["application/json"], { converting: "meta.k8s.io/v1, Kind=Table" }),
      {
        message: "only the following media types are accepted when converting to meta.k8s.io/v1, Kind=Table: application/json",
        reason: "NotAcceptable",
        code: 406,
      },
    ],
    [
      "unsupported media type",
      failures.unsupportedMediaType(["application/json"]),
      {
        message: "the body of the request was in an unknown format - accepted media types include: application/json",
        reason: "UnsupportedMediaType",
        code: 415,
      },
    ],
    ["gone", failures.gone("it is gone"), { message: "it is gone", reason: "Gone", code: 410 }],
    [
      "expired",
      failures.expired("too old resource version: 1 (5)"),
      { message: "too old resource version: 1 (5)", reason: "Expired", code: 410 },
    ],
    [
      "too large",
      failures.requestEntityTooLarge("limit is 3145728"),
      { message: "Request entity too large: limit is 3145728", reason: "RequestEntityTooLarge", code: 413 },
    ],
    [
      "too many requests",
      failures.tooManyRequests("slow down", 3),
      { message: "slow down", reason: "TooManyRequests", code: 429, details: { retryAfterSeconds: 3 } },
    ],
    [
      "internal error",
      failures.internalError("disk full"),
      {
        message: "Internal error occurred: disk full",
        reason: "InternalError",
        code: 500,
        details: { causes: [{ message: "disk full" }] },
      },
    ],
    [
      "server timeout",
      failures.serverTimeout(pods, "POST", 2),
      {
        message: "The POST operation against pods could not be completed at this time, please try again.",
        reason: "ServerTimeout",
        code: 500,
        details: { name: "POST", kind: "pods", retryAfterSeconds: 2 },
      },
    ],
    ["unavailable", failures.serviceUnavailable("not ready"), { message: "not ready", reason: "ServiceUnavailable", code: 503 }],
    ["timeout", failures.timeout("too slow"), { message: "Timeout: too slow", reason: "Timeout", code: 504, details: {} }],
    [
      "a version of the future",
      failures.resourceVersionTooLarge("100", "50"),
      {
        message: "Timeout: Too large resource version: 100, current: 50",
        reason: "Timeout",
        code: 504,
        details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }] },
      },
    ],
  ])("%s", (_, error, status) => {
    expect(error.status).toEqual({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...status })
    expect(error).toMatchObject({
      name: "StatusError",
      code: "STATUS",
      message: status.message,
      statusCode: status.code,
      reason: status.reason,
    })
  })
})

test("several wrong fields stand in brackets, and the same text once", () => {
  const causes = [fieldError.required("a"), fieldError.forbidden("b", "no"), fieldError.required("a")]
  expect(failures.invalid(pods, "A_1", causes).message).toBe('Pod "A_1" is invalid: [a: Required value, b: Forbidden: no]')
  expect(failures.invalid(pods, "A_1", []).status).toMatchObject({ message: 'Pod "A_1" is invalid', details: { name: "A_1", kind: "Pod" } })
})

test("of more than a mebibyte of causes the first are shown, and the number of the others", () => {
  const cause = fieldError.invalid("spec.scopes", "x".repeat(300_000), "unsupported scope")
  const { status } = failures.invalid(pods, "a", Array(1000).fill(cause))
  expect(status.details?.causes).toHaveLength(3)
  expect(status.message).toMatch(/unsupported scope and 997 more$/)
  expect(failures.invalid(pods, "a", [fieldError.invalid("a", "x".repeat(2_000_000), "b")]).status.details?.causes).toHaveLength(1)
})

describe("what may work when tried again", () => {
  test.each<[string, StatusError, boolean]>([
    ["too many requests", failures.tooManyRequests("wait"), true],
    ["timeout", failures.timeout("slow"), true],
    ["server timeout", failures.serverTimeout(pods, "get"), true],
    ["unavailable", failures.serviceUnavailable("down"), true],
    ["internal error", failures.internalError("bug"), true],
    ["no generated name is free", failures.generateNameConflict(pods, "a", 1), true],
    ["a proxy's 502", unexpectedResponse({ code: 502, method: "GET", body: "bad gateway" }), true],
    ["conflict", failures.conflict(pods, "a"), false],
    ["not found", failures.notFound(pods, "a"), false],
    ["invalid", failures.invalid(pods, "a", []), false],
    ["expired", failures.expired("old"), false],
  ])("%s: %#", (_, error, retryable) => {
    expect(isRetryable(error)).toBe(retryable)
  })
})

describe("predicates", () => {
  const plain = (code: number, reason?: string) =>
    new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      code,
      ...(reason === undefined ? {} : { reason }),
    })

  test.each<[string, (thrown: unknown) => boolean, StatusError]>([
    ["isNotFound", is.isNotFound, failures.notFound(pods, "a")],
    ["isAlreadyExists", is.isAlreadyExists, failures.alreadyExists(pods, "a")],
    ["isConflict", is.isConflict, failures.conflict(pods, "a")],
    ["isInvalid", is.isInvalid, failures.invalid(pods, "a", [])],
    ["isGone", is.isGone, failures.expired("old")],
    ["isGone", is.isGone, failures.gone("old")],
    ["isBadRequest", is.isBadRequest, failures.badRequest("no")],
    ["isUnauthorized", is.isUnauthorized, failures.unauthorized()],
    ["isForbidden", is.isForbidden, failures.forbidden(pods, "", "no")],
    ["isMethodNotAllowed", is.isMethodNotAllowed, failures.methodNotAllowed(pods, "get")],
    ["isNotAcceptable", is.isNotAcceptable, failures.notAcceptable([])],
    ["isUnsupportedMediaType", is.isUnsupportedMediaType, failures.unsupportedMediaType([])],
    ["isTimeout", is.isTimeout, failures.timeout("slow")],
    ["isServerTimeout", is.isServerTimeout, failures.serverTimeout(pods, "get")],
    ["isTooManyRequests", is.isTooManyRequests, failures.tooManyRequests("wait")],
    ["isInternalError", is.isInternalError, failures.internalError("bug")],
    ["isServiceUnavailable", is.isServiceUnavailable, failures.serviceUnavailable("down")],
    ["isRequestEntityTooLarge", is.isRequestEntityTooLarge, failures.requestEntityTooLarge("big")],
  ])("%s", (_, predicate, error) => {
    expect(predicate(error)).toBe(true)
    expect(predicate(new PilothouseError("TERMINAL", "gave up", { cause: error }))).toBe(true)
    expect([predicate(plain(418, "Teapot")), predicate(new Error("other")), predicate(undefined)]).toEqual([false, false, false])
  })

  test("the HTTP code counts only where the reason says nothing", () => {
    expect([is.isNotFound(plain(404)), is.isNotFound(plain(404, "Odd")), is.isNotFound(plain(404, "Gone"))]).toEqual([true, true, false])
    expect([is.isConflict(plain(409)), is.isConflict(failures.alreadyExists(pods, "a"))]).toEqual([true, false])
    expect(is.isTooManyRequests(plain(429, "Forbidden"))).toBe(true)
  })

  test("causes and delays", () => {
    const large = failures.resourceVersionTooLarge("9", "1")
    expect([is.hasCause(large, "ResourceVersionTooLarge"), is.hasCause(large, "Other"), is.hasCause(new Error("x"), "Other")]).toEqual([
      true,
      false,
      false,
    ])
    expect([large, failures.serverTimeout(pods, "get"), failures.notFound(pods, "a"), "x"].map(is.suggestedDelaySeconds)).toEqual([
      1,
      0,
      undefined,
      undefined,
    ])
  })

  test("an error that causes itself is looked at once", () => {
    const error = new Error("itself")
    error.cause = error
    expect(is.isNotFound(error)).toBe(false)
  })
})

describe("what the server answers for anything thrown", () => {
  test.each<[string, unknown, Partial<Status>]>([
    ["a Status failure", failures.notFound(pods, "a"), { code: 404, reason: "NotFound" }],
    [
      "a value that breaks a rule",
      new PilothouseError("INVALID", "bad selector"),
      { code: 400, reason: "BadRequest", message: "bad selector" },
    ],
    ["a revision that is gone", new PilothouseError("COMPACTED", "old"), { code: 410, reason: "Expired" }],
    ["an operation that took too long", new PilothouseError("TIMEOUT", "slow"), { code: 504, reason: "Timeout" }],
    ["a bug", new TypeError("x is not a function"), { code: 500, reason: "InternalError", message: "x is not a function" }],
    ["a text", "boom", { code: 500, message: "boom" }],
  ])("%s", (_, thrown, status) => {
    expect(statusOf(thrown)).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", ...status })
  })

  test("a Status without a code gets one", () => {
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const
    expect(statusOf(new StatusError(status)).code).toBe(500)
    expect(new StatusError(status).message).toBe("the server answered with status code unknown")
  })

  test("a delete answers with success", () => {
    expect(successStatus({ name: "a", kind: "pods" })).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "pods" },
    })
    expect([isStatus(successStatus()), isStatus({ kind: "Pod", apiVersion: "v1" }), isStatus(null)]).toEqual([true, false, false])
  })
})

describe("answers that are no Status", () => {
  test.each([
    [{ code: 404, method: "GET", resource: pods, name: "a" }, "NotFound", "the server could not find the requested resource (get pods a)"],
    [{ code: 409, method: "POST", resource: deployments }, "AlreadyExists", "the server reported a conflict (post deployments.apps)"],
    [{ code: 409, method: "PUT" }, "Conflict", "the server reported a conflict"],
    [{ code: 403, method: "GET" }, "Forbidden", "body"],
    [{ code: 406, method: "GET" }, "NotAcceptable", "body"],
    [{ code: 503, method: "GET" }, "ServiceUnavailable", "the server is currently unable to handle the request"],
    [{ code: 502, method: "GET" }, "InternalError", 'an error on the server ("body") has prevented the request from succeeding'],
    [{ code: 418, method: "GET" }, "", "the server responded with the status code 418 but did not return more information"],
  ])("%j is %s", (response, reason, message) => {
    const error = unexpectedResponse({ ...response, body: "body" })
    expect(error).toMatchObject({ reason, message, statusCode: response.code })
    expect(is.hasCause(error, "UnexpectedServerResponse")).toBe(true)
  })
})
