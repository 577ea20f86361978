/** keystoneauth's names for where to log in and as whom. */
export const loginOptions: readonly string[] = [
  "auth_url",
  "username",
  "user_name",
  "user_id",
  "password",
  "token",
  "project_name",
  "project_id",
  "tenant_name",
  "tenant_id",
  "user_domain_name",
  "user_domain_id",
  "project_domain_name",
  "project_domain_id",
  "default_domain_name",
  "default_domain_id",
  "domain_name",
  "domain_id",
  "application_credential_id",
  "application_credential_name",
  "application_credential_secret",
]

/** Those of a section [neutron] that are about the cloud and not about the user. */
export const cloudOptions: readonly string[] = [
  "auth_type",
  "auth_plugin",
  "region_name",
  "endpoint_type",
  "valid_interfaces",
  "cafile",
  "insecure",
]
