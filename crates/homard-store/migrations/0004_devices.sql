-- Version 4: what the owner calls a device, from which page one asked, and under which shared secret a token was made.

ALTER TABLE devices ADD COLUMN operator_label TEXT;
ALTER TABLE device_pending ADD COLUMN browser_origin TEXT;
-- A token opens the door only while the shared secret is the one it was made under. NULL: made by an earlier
-- version; the next start binds it to the secret of that day.
ALTER TABLE device_tokens ADD COLUMN generation TEXT;
