#!/bin/sh
# Runs once, when the PostgreSQL image creates its data. Postern owns its database and is not a superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/postern-password)" --username="$POSTGRES_USER" <<'SQL'
create role postern login nosuperuser nocreatedb nocreaterole password :'password';
create database postern owner postern;
SQL
